// What slides do beside what reveal.js does: the colours of the reader's system, and figures made as
// large as their room. Works from file:// too.
"use strict";

(() => {
  const page = document.documentElement;
  const LARGEST = 1.8; // times its own size: more makes a small diagram coarse

  const STEPPER = ".minijax-watch"; // it scrolls, and has the arrow keys while it has the focus

  const dark = matchMedia("(prefers-color-scheme: dark)");
  function paint() {
    page.classList.toggle("coal", dark.matches);
    page.classList.toggle("light", !dark.matches);
  }
  paint();
  dark.addEventListener("change", paint);

  // A figure has a size of its own only where it is shown.
  function fit() {
    const scale = Reveal.getScale();
    for (const room of document.querySelectorAll("section.present .shown")) {
      const [figure] = room.children;
      if (figure.matches(STEPPER)) continue;
      figure.style.zoom = 1;
      const { width, height } = figure.getBoundingClientRect();
      figure.style.zoom = Math.min(
        LARGEST, (scale * room.clientWidth) / width, (scale * room.clientHeight) / height,
      );
    }
  }

  Reveal.initialize({
    width: 1280, height: 720, margin: 0, center: false, display: "flex", hash: true,
    transition: "none", slideNumber: true, plugins: [RevealNotes],
    keyboardCondition: () => !document.activeElement.closest(STEPPER),
  });
  Reveal.on("slidechanged", fit);
  const main = document.querySelector("main");
  drawing(main).then(() => {
    fit();
    page.classList.add("drawn");
  });
})();
