// What htmx has no attribute for. Everything is delegated, because parts of the page are replaced.
(() => {
  const message = byId("message");
  let open = null;  // the button of the cluster that is shown

  // A new attempt removes the sentence about the last one; polling does not.
  for (const kind of ["submit", "change"]) {
    document.addEventListener(kind, () => { message.replaceChildren(); }, true);
  }
  function say(text) {
    const section = document.createElement("section");
    section.id = "error";
    section.textContent = text;
    message.replaceChildren(section);
  }
  document.addEventListener("htmx:beforeRequest", (event) => {
    const input = event.target.id === "upload" && event.target.querySelector("input");
    if (!input || !input.files.length || input.files[0].size <= Number(input.dataset.mostBytes)) return;
    event.preventDefault();  // no need to send it
    say(`${input.files[0].name} ${input.dataset.tooLarge}`);
    event.target.reset();
  });
  document.addEventListener("htmx:sendError", () => {
    say("The page does not answer any more: start fairspectral app again, and open its new address.");
  });
  document.addEventListener("htmx:responseError", () => message.scrollIntoView({ block: "nearest" }));
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.target.id === "upload") event.target.reset();  // the same file may be opened again
  });
  // A new table or run is brought into view, unless it is there already.
  document.addEventListener("htmx:afterSettle", (event) => {
    const shown = { workspace: "choices", run: "run" }[event.detail.target.id];
    if (shown && byId(shown)) byId(shown).scrollIntoView({ block: "nearest" });
    // At another tolerance the same cluster stays open.
    if (shown) open = null;
    else if (event.detail.target.id === "view" && open) byId(open).click();
  });

  document.addEventListener("dragover", (event) => {
    const drop = event.target.closest(".drop");
    if (drop) drop.classList.add("over");
    else event.preventDefault();  // beside it, the browser would leave the page for the file
  });
  for (const kind of ["dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      const drop = event.target.closest(".drop");
      if (drop) drop.classList.remove("over");
      else if (kind === "drop") event.preventDefault();
    });
  }

  document.addEventListener("input", (event) => {
    const input = event.target;
    if (input.id === "tolerance") {
      const name = input.dataset.names.split(" ")[Number(input.value)];
      byId("tolerance-name").textContent = name;
      input.setAttribute("aria-valuetext", name);
    }
    // A sensitive column is not compared.
    if (input.name === "fair") {
      const compare = input.closest("tr").querySelector("[name=compare]");
      compare.disabled = input.checked;
      compare.checked = compare.checked && !input.checked;
    }
  });
  document.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-cluster]");
    if (!chosen) return;
    open = chosen.id;
    document.querySelectorAll("[data-cluster]").forEach((chip) => {
      chip.setAttribute("aria-pressed", chip === chosen);
    });
  });
})();
