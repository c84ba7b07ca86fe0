// What test_browser.py and test_stepper.py ask of a page, in the page. A shadow belongs to it.
"use strict";

globalThis.lookAt = {
  // Every sentence names something wrong with what was drawn.
  drawing() {
    const wrong = [];
    const name = (element) => element.closest("[id]")?.id ?? "the page";
    for (const diagram of document.querySelectorAll("pre.mermaid")) {
      if (!diagram.querySelector("svg g")) wrong.push(`no diagram in ${name(diagram)}`);
      if (diagram.querySelector(".error-icon")) wrong.push(`a diagram with a fault in ${name(diagram)}`);
    }
    for (const formula of document.querySelectorAll(".math")) {
      if (!formula.querySelector(".katex")) wrong.push(`no formula in ${name(formula)}`);
    }
    for (const fault of document.querySelectorAll(".katex-error")) {
      wrong.push(`a formula with a fault in ${name(fault)}: ${fault.title}`);
    }
    for (const picture of document.querySelectorAll("main img")) {
      if (!picture.naturalWidth) wrong.push(`no picture: ${picture.getAttribute("src")}`);
    }
    for (const node of textNodes(document.querySelector("main"))) {
      const written = !node.parentElement.closest("pre, code, .math, svg, script, style");
      if (written && /\$[^\s$][^$]*\$|\$\$|```|^\s*\|\s*---/.test(node.data)) {
        wrong.push(`as it was typed: ${node.data.trim()}`);
      }
    }
    return wrong;
  },

  // Every sentence names what is wider than the screen, or scrolls sideways and is neither code nor
  // formulas.
  width() {
    const wrong = [];
    const describe = (e) => `${e.tagName.toLowerCase()}.${e.className} ${e.id} ${e.textContent.trim().slice(0, 60)}`;
    const boxes = [document.documentElement, document.body, document.querySelector("#mdbook-content")];
    for (const box of boxes) {
      if (box.scrollWidth > box.clientWidth) wrong.push(`${describe(box)} is ${box.scrollWidth} wide`);
    }
    for (const element of document.querySelectorAll("main *")) {
      const scrolls = ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
      if (!scrolls || element.scrollWidth <= element.clientWidth + 1) continue;
      const may = "pre, code, .math, .table-wrapper:has(.math), .output.html";
      if (!element.matches(may)) wrong.push(`${describe(element)} scrolls`);
    }
    return wrong;
  },

  // What within shadows is wider than its place.
  sideways() {
    const within = [...document.querySelectorAll("*")].flatMap((host) => [...(host.shadowRoot?.querySelectorAll("*") ?? [])]);
    const wide = within.filter((element) => element.clientWidth && element.scrollWidth > element.clientWidth + 1);
    const may = (element) => getComputedStyle(element).textOverflow === "ellipsis" || element.matches("select");
    return wide.filter((element) => !may(element)).map((element) => `${element.tagName}.${element.className}`);
  },

  // Every name in the text that a line's end cuts within one of its words, though a line has room.
  brokenNames() {
    const broken = [];
    for (const code of document.querySelectorAll("main :not(pre) > code")) {
      for (const node of textNodes(code)) {
        for (const word of node.data.matchAll(/[A-Za-z]+/g)) {
          const range = document.createRange();
          range.setStart(node, word.index);
          range.setEnd(node, word.index + word[0].length);
          const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
          if (lines.size > 1) broken.push(`${word[0]} of ${code.textContent}`);
        }
      }
    }
    return broken;
  },

  // Every text whose colour is too near to its ground, with the contrast.
  contrast(least) {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    const seen = new Map();
    const texts = [...textNodes(document.body)].filter((node) => isShown(node.parentElement));
    for (const node of texts) {
      const ratio = contrastRatio(colourOf(node.parentElement), groundOf(node));
      if (ratio >= least) continue;
      const { tagName, className } = node.parentElement;
      const kind = `${tagName.toLowerCase()}.${className.baseVal ?? className}`;
      seen.set(kind, `${kind}: ${ratio.toFixed(2)}, in ${JSON.stringify(node.data.trim().slice(0, 40))}`);
    }
    return { measured: texts.length, faint: [...seen.values()] };
  },
};

function* textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    if (walker.currentNode.data?.trim()) yield walker.currentNode;
    if (walker.currentNode.shadowRoot) yield* textNodes(walker.currentNode.shadowRoot);
  }
}

const above = (element) => element.parentElement ?? element.getRootNode().host;

// What shows only under the pointer counts: an opacity of 0 is no reason to leave it out.
function isShown(element) {
  if (element.closest("script, style, template, title, .katex-mathml")) return false;
  return element.checkVisibility() && element.getClientRects().length > 0;
}

function readColour(text) {
  const parts = text.match(/^color\(srgb (\S+) (\S+) (\S+)(?: \/ (\S+))?\)$/)?.slice(1).map(Number);
  if (parts) return { rgb: parts.slice(0, 3).map((x) => 255 * x), alpha: parts[3] || 1 };
  const numbers = text.match(/^rgba?\(([^)]*)\)$/)?.[1].split(/[\s,/]+/).map(Number);
  if (!numbers) throw new Error(`a colour that the test cannot read: ${text}`);
  return { rgb: numbers.slice(0, 3), alpha: numbers[3] ?? 1 };
}

const mix = (over, below) => over.rgb.map((x, i) => x * over.alpha + below[i] * (1 - over.alpha));

function colourOf(element) {
  const style = getComputedStyle(element);
  const colour = readColour(element instanceof SVGElement ? style.fill : style.color);
  for (let e = element; e; e = above(e)) {
    const opacity = Number(getComputedStyle(e).opacity);
    if (opacity > 0) colour.alpha *= opacity;
  }
  return colour;
}

// The colour behind a text: the backgrounds of what holds it, one on the other; in a drawing, the
// last shape before it that lies behind its middle.
function groundOf(node) {
  const layers = [];
  const drawing = node.parentElement.closest("svg");
  for (let e = node.parentElement; e; e = above(e)) {
    layers.push(readColour(getComputedStyle(e).backgroundColor));
    if (e === drawing) layers.push(...shapesBehind(node, drawing));
  }
  return layers.reverse().reduce((below, above) => mix(above, below), [255, 255, 255]);
}

function shapesBehind(node, drawing) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const text = range.getBoundingClientRect();
  const [x, y] = [text.x + text.width / 2, text.y + text.height / 2];
  const behind = [...drawing.querySelectorAll("rect, polygon, circle, ellipse, path")].filter((shape) => {
    const box = shape.getBoundingClientRect();
    const before = shape.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
    const around = box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
    return before && around && !shape.closest("defs") && getComputedStyle(shape).fill !== "none";
  });
  return behind.reverse().map((shape) => readColour(getComputedStyle(shape).fill));
}

function luminance(rgb) {
  const [r, g, b] = rgb.map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrastRatio(colour, ground) {
  const [dark, light] = [luminance(mix(colour, ground)), luminance(ground)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
