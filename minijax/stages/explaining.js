// Lights the kin of the line under the pointer, or with the focus. Arrow keys go from line to line of
// a stage, Left and Right to the kin in the stages beside it; a click or Enter holds what is lit.
for (const root of document.querySelectorAll(".mjx:not([data-live])")) {
  root.dataset.live = "";
  const lines = [...root.querySelectorAll("[data-kin]")];
  const named = new Map(lines.map((line) => [line.dataset.key, line]));
  const kinOf = (line) => line.dataset.kin.split(" ").map((key) => named.get(key)).filter(Boolean);
  const lineAt = (event) => event.target.closest?.("[data-kin]");
  const boxOf = (line) => line.closest("pre");
  let held = null;

  function light(line) {
    for (const lit of root.querySelectorAll(".mjx-lit, .mjx-here")) lit.classList.remove("mjx-lit", "mjx-here");
    if (!line) return;
    for (const kin of kinOf(line)) kin.classList.add("mjx-lit");
    line.classList.add("mjx-here");
  }

  // Brings the first kin of each other stage into sight, within its own box.
  function show(line) {
    const seen = new Set([boxOf(line)]);
    for (const kin of kinOf(line)) {
      const box = boxOf(kin);
      if (seen.has(box)) continue;
      seen.add(box);
      const above = kin.getBoundingClientRect().top - box.getBoundingClientRect().top;
      const isSeen = above >= 0 && above + kin.offsetHeight <= box.clientHeight;
      if (!isSeen) box.scrollTop += above - box.clientHeight / 3;
    }
  }

  // One line of each stage is a stop of the Tab key.
  function stop(line) {
    for (const other of boxOf(line).querySelectorAll("[data-kin]")) other.tabIndex = other === line ? 0 : -1;
  }
  for (const box of new Set(lines.map(boxOf))) stop(box.querySelector("[data-kin]"));

  root.addEventListener("pointerover", (event) => light(lineAt(event) ?? held));
  root.addEventListener("pointerleave", () => light(held));
  root.addEventListener("focusin", (event) => {
    const line = lineAt(event);
    if (!line) return;
    stop(line);
    light(line);
    show(line);
  });
  root.addEventListener("focusout", () => light(held));
  root.addEventListener("click", (event) => {
    const line = lineAt(event);
    if (!line) return;
    held = held === line ? null : line;
    light(held);
    if (held) show(held);
  });
  root.addEventListener("keydown", (event) => {
    const line = lineAt(event);
    if (!line || event.ctrlKey || event.altKey || event.metaKey) return;
    const own = [...boxOf(line).querySelectorAll("[data-kin]")];
    const kinIn = (box) => kinOf(line).find((kin) => boxOf(kin) === box);
    const isNear = (box) => box === boxOf(line) || (box.getClientRects().length && kinIn(box));
    const boxes = [...root.querySelectorAll("pre")].filter(isNear);
    const goes = {
      ArrowDown: () => own[own.indexOf(line) + 1],
      ArrowUp: () => own[own.indexOf(line) - 1],
      Home: () => own[0],
      End: () => own.at(-1),
      ArrowRight: () => kinIn(boxes[boxes.indexOf(boxOf(line)) + 1]),
      ArrowLeft: () => kinIn(boxes[boxes.indexOf(boxOf(line)) - 1]),
    };
    const go = goes[event.key];
    if (event.key === "Enter" || event.key === " ") line.click();
    else if (event.key === "Escape") light((held = null));
    else if (go) go()?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
