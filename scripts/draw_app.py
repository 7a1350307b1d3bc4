"""Take the picture of the local page for docs/app.md: the demo at a tolerance of 10%.

    python scripts/draw_app.py [FILE]

Needs playwright and Chromium.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from fairspectral.app.server import Server

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "app.png"


def main(path: Path) -> None:
    """Open the demo, slide, and keep what the window shows."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with Server() as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 960, "height": 860})
        page.set_default_timeout(300_000)
        page.goto(server.url)
        page.locator("#demo").click()
        page.locator("#start").click()
        page.locator("#tolerance").focus()
        page.keyboard.press("ArrowLeft")
        page.locator("#command", has_text="--at 0.1 --output").wait_for()
        page.locator("#slider").evaluate("e => e.scrollIntoView({behavior: 'instant'})")
        page.mouse.move(0, 0)
        page.screenshot(path=path)
        browser.close()
    print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
