"""``python -m fairspectral.cli``: the same as the command ``fairspectral``."""

from fairspectral.cli import main

main()
