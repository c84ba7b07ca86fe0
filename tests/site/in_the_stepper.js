// What test_stepper.py asks of a watched element: what it shows now, as plain data.
"use strict";

globalThis.readStepper = (host) => {
  const root = host.shadowRoot;
  const all = (selector, within = root) => [...within.querySelectorAll(selector)];
  const text = (element) => element.textContent;
  const one = (selector, within = root) => within.querySelector(selector);

  const readBox = (box) => {
    if (box.matches(".leaf")) return text(box);
    const parts = all(":scope > ul > li", box).map((part) => [text(part.firstElementChild), readBox(part.lastElementChild)]);
    return [text(one(".head", box)), parts];
  };
  const readSide = (side) => all(":scope > .boxes > li", side).map((item) => readBox(item.firstElementChild));
  const readProgram = (program) => ({
    title: text(one(".label", program)),
    lines: all("p:not(.label), li", program).map(text),
    lit: all("[aria-current]", program).map(text),
  });
  const sides = all(".flow .side");
  const lit = one(".lines [aria-current]");
  return {
    status: text(one(".status")),
    slider: Number(one("input").value),
    line: lit && [text(one(".file")), lit.value, text(lit)],
    stack: all(".stack li").map((row) => [row.classList.item(0), ...all(".mark", row).map(text)]),
    operands: readSide(sides[0]),
    rule: [text(one(".rule b")), text(one(".rule small"))],
    results: readSide(sides[1]),
    error: one(".flow .error")?.textContent ?? null,
    programs: all(".programs .program").map(readProgram),
    before: all(".flow .before li").map(text),
    after: all(".flow .after li").map(text),
    end: all(".list .body > p").map(text),
    current: all(".list button").indexOf(one(".list [aria-current]")),
  };
};
