(() => {
  const { show, hide } = tips;

  const copy = byId("copy");
  if (copy) copy.hidden = !navigator.clipboard;

  // On paper the tables are open.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((one) => { one.open = false; }));

  // A link to a part that is folded away opens it.
  const unfold = () => {
    const part = byId(location.hash.slice(1));
    if (part && part.tagName === "DETAILS") part.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();

  if (!byId("points")) return;  // a page about several runs has no embedding

  // The embedding: the nearest drawn sample answers the pointer and the arrow keys.
  const points = JSON.parse(byId("points").textContent);
  const scatter = byId("scatter");
  const svg = scatter.querySelector("svg");
  const ring = byId("ring");
  const alone = { cluster: null, marker: null };
  const visible = (i) =>
    (alone.cluster === null || points.cluster[i] === alone.cluster) &&
    (alone.marker === null || points.marker[i] === alone.marker);
  let current = -1;

  function point(i) {
    current = i;
    ring.setAttribute("cx", points.x[i]);
    ring.setAttribute("cy", points.y[i]);
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    let text = `row ${points.row[i].toLocaleString("en")}\ncluster ${points.clusters[points.cluster[i]]}`;
    if (points.attribute !== null) {
      text += `\n${points.attribute}: ${points.groups[points.group[i]]}`;
    }
    show(text, box.left + points.x[i] * scale, box.top + points.y[i] * scale);
  }
  function unpoint() {
    ring.setAttribute("cx", -20);
    ring.setAttribute("cy", -20);
    hide();
  }
  scatter.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    let best = -1;
    let least = 24 * 24;
    for (let i = 0; i < points.x.length; i++) {
      const distance = (points.x[i] - x) ** 2 + (points.y[i] - y) ** 2;
      if (distance < least && visible(i)) { least = distance; best = i; }
    }
    if (best < 0) unpoint(); else point(best);
  });
  scatter.addEventListener("pointerleave", unpoint);
  scatter.addEventListener("blur", unpoint);
  scatter.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const n = points.x.length;
    for (let tries = 0, i = current; tries < n; tries++) {
      i = (i + step + n) % n;
      if (visible(i)) return point(i);
    }
  });

  // A chip shows its cluster or group alone; pressed again, everything.
  const chips = document.querySelectorAll("[data-show]");
  chips.forEach((chip) => chip.addEventListener("click", () => {
    const kind = chip.dataset.show;
    const value = Number(chip.dataset.value);
    alone[kind] = alone[kind] === value ? null : value;
    chips.forEach((other) => {
      const pressed = alone[other.dataset.show] === Number(other.dataset.value);
      other.setAttribute("aria-pressed", pressed);
    });
    svg.querySelectorAll(".cloud").forEach((cloud) => {
      const away = ["cluster", "marker"].some(
        (name) => alone[name] !== null && alone[name] !== Number(cloud.dataset[name]));
      cloud.classList.toggle("away", away);
    });
    unpoint();
  }));
})();
