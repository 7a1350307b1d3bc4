"use strict";
// What the report and the local page share: tips, the theme, and copying.
const byId = (id) => document.getElementById(id);

const tips = (() => {
  const tip = byId("tip");

  // The tip is text, never markup: names come from the data.
  function show(text, x, y) {
    tip.textContent = text;
    tip.hidden = false;
    tip.style.left = "0";  // at the right edge it would be measured squeezed
    const box = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, x - box.width / 2), innerWidth - box.width - 8);
    const above = y - box.height - 14;
    // On the page, not on the screen: it scrolls with what it tells of.
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(above > 8 ? above : y + 18) + scrollY}px`;
  }
  const hide = () => { tip.hidden = true; };
  const told = (event) => event.target.closest && event.target.closest("[data-tip]");

  document.addEventListener("pointermove", (event) => {
    const mark = told(event);
    if (mark) show(mark.dataset.tip, event.clientX, event.clientY);
    else if (!event.target.closest || !event.target.closest("#scatter")) hide();
  });
  document.addEventListener("focusin", (event) => {
    const mark = told(event);
    if (!mark) return hide();
    const box = mark.getBoundingClientRect();
    show(mark.dataset.tip, box.left + box.width / 2, box.top);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  return { show, hide };
})();

(() => {
  // Light or dark: the system's choice until the reader makes one.
  const theme = byId("theme");
  const root = document.documentElement;
  const dark = () => root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  function label() {
    theme.textContent = dark() ? "☀ Light" : "☾ Dark";
    theme.setAttribute("aria-pressed", dark());
  }
  theme.hidden = false;
  theme.setAttribute("aria-label", "Dark theme");
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    label();
  });
  label();
})();

// A button with data-copy copies the text of that element.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const done = (text) => { button.textContent = text; };
  if (!navigator.clipboard) return done("Select and copy it by hand");
  navigator.clipboard.writeText(byId(button.dataset.copy).textContent).then(
    () => done("Copied"), () => done("Select and copy it by hand"));
});
