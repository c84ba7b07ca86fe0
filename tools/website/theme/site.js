// What the pages do in a reader's browser, beside what mdBook does: filter long tables, open what a
// link leads to, and draw formulas and diagrams, with drawing.js. It works from file:// too.
"use strict";

(() => {
  const page = document.documentElement;
  const main = document.querySelector("main");
  const find = (selector) => [...main.querySelectorAll(selector)];

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  // A name breaks between its words, where the line is too short for it, and never within one.
  const BETWEEN_WORDS = /(?<=[/._,:=(\[|])(?=\S)|(?<=[a-z0-9])(?=[A-Z])/;
  function breakNames(code) {
    if (code.childElementCount) return;
    const words = code.textContent.split(BETWEEN_WORDS);
    if (words.length === 1) return;
    code.replaceChildren(...words.flatMap((word, n) => (n ? [make("wbr", {}), word] : [word])));
  }

  // A box above a long table that leaves the rows with all of its words.
  function addFilter(box) {
    const rows = [...box.querySelectorAll("tbody tr")];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const count = make("output", { class: "filter-count" });
    const input = make("input", {
      type: "search", class: "filter", placeholder: "Filter the rows", "aria-label": "filter the rows",
    });
    const filter = () => {
      const words = input.value.toLowerCase().split(/\s+/);
      rows.forEach((row, i) => (row.hidden = !words.every((word) => texts[i].includes(word))));
      count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
    };
    input.addEventListener("input", filter);
    box.prepend(make("p", { class: "filter-line" }, input, count));
    filter();
  }

  // A link into folded text opens it.
  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !main.contains(target)) return;
    const fold = target.closest("details") ?? target.querySelector(":scope > details");
    if (!fold || fold.open) return;
    fold.open = true;
    target.scrollIntoView();
  }

  // Arrows scroll what has the focus and is too wide; else mdBook turns the page.
  function keepArrows(event) {
    const turns = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const wide = event.target.closest("pre, code, .table-wrapper, .output");
    if (turns && wide && wide.scrollWidth > wide.clientWidth) event.stopPropagation();
  }

  // Two themes, and the choice of the reader's system. The others cannot be chosen; they stay at the
  // list's end, for mdBook looks for them.
  function shortenThemes() {
    const item = (name) => document.getElementById(`mdbook-theme-${name}`);
    item("coal").textContent = "Dark";
    for (const name of ["rust", "navy", "ayu"]) {
      const entry = item(name).parentElement;
      entry.hidden = true;
      entry.parentElement.append(entry);
    }
  }

  // The first Tab offers the text: some seventy links of the contents come before it.
  function offerText() {
    main.id ||= "text";
    main.tabIndex = -1;
    const link = make("a", { class: "to-text", href: `#${main.id}` }, "To the text");
    link.addEventListener("click", (event) => {
      event.preventDefault();
      main.focus();
    });
    document.body.prepend(link);
  }

  // The contents open by a key too; on a narrow window a link within the page closes them.
  function tendContents() {
    const toggle = document.getElementById("mdbook-sidebar-toggle");
    toggle.tabIndex = 0;
    toggle.setAttribute("role", "button");
    toggle.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle.click();
    });
    const pageOf = (address) => address?.split("#")[0];
    document.getElementById("mdbook-sidebar").addEventListener("click", (event) => {
      const within = pageOf(event.target.closest("a[href]")?.href) === pageOf(location.href);
      if (within && matchMedia("(max-width: 620px)").matches) toggle.click();
    });
  }

  // The title above each page leads to the front page.
  function linkTitle() {
    const title = document.querySelector(".menu-title");
    title.replaceChildren(make("a", { href: `${path_to_root}index.html` }, title.textContent));
  }

  // mdBook's arrows beside a page say where they lead.
  function nameArrows() {
    for (const link of find(".neighbours a")) {
      const side = link.textContent.startsWith("←") ? "previous" : "next";
      for (const arrow of document.querySelectorAll(`.nav-chapters.${side}`)) {
        arrow.title = link.textContent;
        arrow.setAttribute("aria-label", link.textContent);
      }
    }
  }

  // The picture on the front page moves once, and again when asked.
  function offerAgain(picture) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const button = make("button", { type: "button", class: "again" }, "Again");
    button.addEventListener("click", () => {
      for (const animation of picture.getAnimations({ subtree: true })) {
        animation.cancel();
        animation.play();
      }
    });
    picture.after(button);
  }

  shortenThemes();
  offerText();
  tendContents();
  linkTitle();
  nameArrows();
  find("svg.falling").forEach(offerAgain);
  openTarget();
  addEventListener("hashchange", openTarget);
  main.addEventListener("keydown", keepArrows);
  find(":not(pre) > code, td > a").forEach(breakNames);
  find(".searchable").forEach(addFilter);
  drawing(main).then(() => page.classList.add("drawn"));
})();
