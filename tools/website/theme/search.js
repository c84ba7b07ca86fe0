// Search. The index is the prose of all pages (website/search_index.py); it is loaded when the search
// opens, and looked through at every key. A word is a whole word; where no page has all words, the
// beginnings of words will do.
"use strict";

(() => {
  const MOST = 20; // results
  const AROUND = 110; // characters of a snippet, before its word and after it
  const MARKED = 500; // words at most, on a page
  const get = (name) => document.getElementById(`mdbook-${name}`);
  const [wrapper, form, bar] = ["search-wrapper", "searchbar-outer", "searchbar"].map(get);
  const [toggle, outer, header, list] = [
    "search-toggle", "searchresults-outer", "searchresults-header", "searchresults",
  ].map(get);
  const main = document.querySelector("main");
  let sections = null; // of all pages: address, page, heading, names, text

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const wordsOf = (text) => text.trim().toLowerCase().split(/\s+/).filter(Boolean);

  // Matches a word at the beginning of one, or all of it.
  function pattern(word, whole) {
    const escaped = word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}${whole ? "(?![\\p{L}\\p{N}_])" : ""}`, "giu");
  }

  // How well a section answers; 0 where it lacks a word. A heading that is the word comes first, then
  // headings with it, what cells define, and the text; chapters before pages of modules.
  function score(section, words, patterns) {
    let total = 0;
    for (const [i, each] of patterns.entries()) {
      if (!section.lower.includes(words[i])) return 0;
      const count = (text) => (text.match(each) ?? []).length;
      const inText = Math.min(count(section.text), 5);
      const points = 20 * Math.min(count(section.heading), 1) + 8 * Math.min(count(section.page), 1) +
        12 * Math.min(count(section.names), 1) + inText;
      if (!points) return 0;
      total += points;
    }
    if (section.heading.toLowerCase() === words.join(" ")) total += 60;
    return /^(\d\d|[A-Z])-/.test(section.address) ? 1.5 * total : total;
  }

  function find(words) {
    for (const whole of [true, false]) {
      const patterns = words.map((word) => pattern(word, whole));
      const found = sections
        .map((section) => ({ section, points: score(section, words, patterns) }))
        .filter(({ points }) => points > 0)
        .sort((a, b) => b.points - a.points);
      if (found.length) return { found, patterns };
    }
    return { found: [], patterns: [] };
  }

  // The part of a text in which the most different words stand, from one word's edge to another's.
  function snippet(text, patterns) {
    const places = patterns.flatMap((each, word) =>
      [...text.matchAll(each)].slice(0, 20).map((match) => ({ word, start: match.index, end: match.index + match[0].length })));
    const near = (place) => new Set(
      places.filter(({ start }) => start >= place.start && start < place.start + AROUND).map(({ word }) => word)).size;
    const best = places.reduce((best, place) => (best && near(best) >= near(place) ? best : place), null);
    const middle = best ? best.start : 0;
    const start = middle <= AROUND ? 0 : text.indexOf(" ", middle - AROUND) + 1;
    const last = middle + AROUND < text.length ? text.lastIndexOf(" ", middle + AROUND) : text.length;
    const end = Math.max(last, best?.end ?? 0);
    const teaser = make("span", { class: "teaser" }, start ? "… " : "");
    let at = start;
    for (const place of places.sort((a, b) => a.start - b.start)) {
      if (place.start < at || place.end > end) continue;
      teaser.append(text.slice(at, place.start), make("em", {}, text.slice(place.start, place.end)));
      at = place.end;
    }
    teaser.append(text.slice(at, end), end < text.length ? " …" : "");
    return teaser;
  }

  function show() {
    const words = wordsOf(bar.value);
    outer.classList.toggle("hidden", !words.length);
    if (!words.length || !sections) return;
    const { found, patterns } = find(words);
    const [count, asked] = [found.length, bar.value.trim()];
    header.textContent = count ? `${count} ${count === 1 ? "section" : "sections"} with “${asked}”` : `Nothing is called “${asked}”, and no sentence has it.`;
    list.replaceChildren(...found.slice(0, MOST).map(({ section }) => {
      const [path, anchor] = section.address.split("#");
      const address = `${path_to_root}${path}?highlight=${encodeURIComponent(words.join(" "))}#${anchor}`;
      const title = section.page === section.heading ? section.page : `${section.page} » ${section.heading}`;
      return make("li", {}, make("a", { href: address }, title), snippet(section.text, patterns));
    }));
  }

  function load(pages) {
    sections = pages.flatMap(([path, page, parts]) => parts.map(([anchor, heading, text, names]) => ({
      address: `${path}#${anchor}`, page, heading, names, text,
      lower: `${page} ${heading} ${names} ${text}`.toLowerCase(),
    })));
    form.classList.remove("searching");
    show();
  }

  function open() {
    if (!document.getElementById("search-index")) {
      form.classList.add("searching");
      document.head.append(make("script", { id: "search-index", src: `${path_to_root}search/index.js` }));
    }
    wrapper.classList.remove("hidden");
    toggle.setAttribute("aria-expanded", "true");
    scrollTo(0, 0);
    bar.select();
  }

  function close() {
    wrapper.classList.add("hidden");
    toggle.setAttribute("aria-expanded", "false");
    toggle.focus();
  }

  // In the page that a result leads to, the words are marked, until one is clicked or Escape is typed.
  function mark() {
    const words = wordsOf(new URLSearchParams(location.search).get("highlight") ?? "");
    if (!words.length) return;
    const wholes = words.map((word) => pattern(word, true));
    const has = (each) => main.textContent.search(each) >= 0;
    const patterns = wholes.map((each, i) => (has(each) ? each : pattern(words[i], false)));
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    const any = new RegExp(patterns.map((each) => each.source).join("|"), "giu");
    let left = MARKED;
    for (const node of nodes) {
      if (node.parentElement.closest("svg, script, style, .math, .mermaid, nav")) continue;
      left -= markIn(node, any, left);
    }
  }

  // Marks a pattern's places in a text node, from the last to the first; returns how many.
  function markIn(node, each, most) {
    const places = [...node.data.matchAll(each)].slice(0, most).reverse();
    for (const place of places) {
      const range = document.createRange();
      range.setStart(node, place.index);
      range.setEnd(node, place.index + place[0].length);
      range.surroundContents(make("mark", {}));
    }
    return places.length;
  }

  function unmark() {
    const marks = [...document.querySelectorAll("main mark")];
    if (!marks.length) return;
    for (const each of marks) each.replaceWith(...each.childNodes);
    main.normalize();
    history.replaceState(null, "", location.pathname + location.hash);
  }

  function move(by) {
    const links = [...list.querySelectorAll("a")];
    const place = links.indexOf(document.activeElement) + by;
    (links[place] ?? bar).focus();
  }

  const atWork = () => wrapper.contains(document.activeElement);
  const typing = (element) => element.closest("input, textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      if (!wrapper.classList.contains("hidden")) close();
      unmark();
    } else if (atWork() && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (!typing(event.target) && (event.key === "/" || event.key === "s")) {
      event.preventDefault();
      open();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  bar.addEventListener("input", show);
  toggle.addEventListener("click", () => (wrapper.classList.contains("hidden") ? open() : close()));
  main.addEventListener("click", (event) => event.target.matches("mark") && unmark());
  header.setAttribute("aria-live", "polite");
  window.search = { hasFocus: atWork, load };
  mark();
})();
