// Steps through the recording that stands beside this script. It runs once for each element, defines
// nothing global, and writes text as text, never as markup. The site and the notebook hand this text
// on as it is, so it has no backtick, no dollar sign and no bracket followed by a parenthesis.
(() => {
  "use strict";
  // Old notebooks run scripts elsewhere, one after the other: there it is the first that does not step yet.
  const host = document.currentScript?.closest(".minijax-watch")
    ?? [...document.querySelectorAll(".minijax-watch:has(script)")].find((one) => !one.shadowRoot);
  const data = JSON.parse(host.querySelector("script").textContent);
  const { steps, traces, programs, sources, boxes, marks } = data;

  const HUES = 8; // as stepper.css has them
  const SECONDS = 1.1; // a step, while it plays
  const last = steps.length - 1;

  const depths = [];
  steps.forEach((step, i) => (depths[i] = step.parent === null ? 0 : depths[step.parent] + 1));

  // For each program, the step that wrote each of its equations. One that no step wrote comes with
  // the next that a step did.
  const written = programs.map((program) => program.equations.map(() => last));
  steps.forEach((step, i) => step.grows.forEach(([p, e]) => (written[p][e] = i)));
  for (const births of written) {
    for (let e = births.length - 2; e >= 0; e--) births[e] = Math.min(births[e], births[e + 1]);
  }

  // Making elements.

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const code = (text) => make("code", {}, text);
  const label = (text) => make("p", { class: "label" }, text);

  function panel(name, title) {
    const body = make("div", { class: "body" });
    const heading = make("p", { class: "title" }, title);
    return [make("div", { class: name, role: "group", "aria-label": title }, heading, body), body];
  }

  function button(words, title, act) {
    const element = make("button", { type: "button", title }, words);
    element.addEventListener("click", act);
    return element;
  }

  // A disabled button would lose the focus of whoever holds a key down.
  const allow = (element, may) => element.setAttribute("aria-disabled", String(!may));

  // Traces: a label and a colour, the same wherever one is shown. The first is the ground, in grey.

  const hueOf = (id) => (id ? "hue-" + (id % HUES) : "ground");
  const markOf = (id) => make("span", { class: "mark " + hueOf(id) }, traces[id].label);

  function traceName(id) {
    const { kind, role } = traces[id];
    const words = role ? [kind, " ", make("small", {}, role)] : [kind];
    return make("span", { class: "trace" }, markOf(id), " ", ...words);
  }

  function traceInWords(id) {
    const { kind, role } = traces[id];
    return [markOf(id), " ", kind, role && (role.startsWith("for ") ? " " : ", which ") + role];
  }

  // Boxes: what a tracer holds is drawn within it.

  function drawBox(number) {
    const box = boxes[number];
    if (!box.parts) return make("div", { class: box.kind === "zero" ? "leaf zero" : "leaf" }, code(box.text));
    const head = make("div", { class: "head" }, markOf(box.trace), " ", box.kind, " ", code(box.text));
    const parts = box.parts.map(([name, part]) => make("li", {}, make("span", {}, name), drawBox(part)));
    const held = parts.length ? [make("ul", {}, ...parts)] : [];
    return make("div", { class: "tracer " + hueOf(box.trace) }, head, ...held);
  }

  function drawBoxes(title, numbers) {
    const drawn = numbers.map((number) => make("li", {}, drawBox(number)));
    const list = drawn.length ? make("ul", { class: "boxes" }, ...drawn) : make("p", {}, "none");
    return make("div", { class: "side" }, label(title), list);
  }

  // What is asked: the primitive and its parameters.
  const nameOf = (step) => (step.transposed ? "transpose " : "") + step.primitive;
  const asked = (step) => nameOf(step) + (step.params ? "[" + step.params + "]" : "");

  // The panels, each for one step.

  function sentence(i) {
    const step = steps[i];
    const words = [
      make("b", {}, "Step " + i), ": ", code(asked(step)), " is asked of ", ...traceInWords(step.trace),
    ];
    if (step.parent !== null) {
      words.push(", within step " + step.parent + ", ", code(nameOf(steps[step.parent])));
    }
    words.push(". Its answer: ", step.rule.name, step.error ? ", which raises an error." : ".");
    return words;
  }

  // What happened between operations. A mark that comes first within a step is shown with it; each
  // other one with the step that follows, or with the last.
  const isWithin = (mark, i) => mark.parent === i && mark.before === i + 1;
  const marksBefore = (i) => marks.filter((mark) => mark.before === i && !isWithin(mark, i - 1));
  const marksWithin = (i) => marks.filter((mark) => isWithin(mark, i));
  const marksAtEnd = (i) => marks.filter((mark) => i === last && mark.before > last && !isWithin(mark, i));

  function drawMarks(title, found) {
    if (!found.length) return [];
    return [make("p", { class: "label" }, title), make("ul", { class: "marks" },
      ...found.map((mark) => make("li", {}, mark.text)))];
  }

  // The line of a step; of one without, that of the step in whose rule it was asked, or none, in the
  // source that was shown last.
  function placeOf(i) {
    for (let at = i; at !== null; at = steps[at].parent) if (steps[at].line) return steps[at].line;
    for (let at = i; at >= 0; at--) if (steps[at].line) return [steps[at].line[0], null];
    return sources.length ? [0, null] : null;
  }

  function drawSource(i) {
    const place = placeOf(i);
    if (!place) return [make("p", {}, "No line of yours is on record.")];
    const { name, first, lines } = sources[place[0]];
    const indents = lines.filter((line) => line.trim()).map((line) => line.search(/\S/));
    const rows = lines.map((line, k) => {
      const lit = first + k === place[1];
      const row = make("li", { value: first + k }, code(line.slice(Math.min(...indents)) || " "));
      if (lit) row.setAttribute("aria-current", "true");
      return row;
    });
    return [make("p", { class: "file" }, name), make("ol", { class: "lines" }, ...rows)];
  }

  // What a trace that waits is about: its rule for a step, if this was asked within one.
  function workOf(id, i) {
    for (let at = steps[i].parent; at !== null; at = steps[at].parent) {
      if (steps[at].trace === id) return "at work: " + nameOf(steps[at]);
    }
    return "waits";
  }

  // Those who were in charge first come first, and of one stack each stands above its parent.
  function inOrder(waiting) {
    const chains = new Map();
    for (const id of waiting.toReversed()) {
      const chain = [];
      for (let at = id; at !== null; at = traces[at].parent) chain.push(at);
      chains.set(id, chain);
    }
    const grounds = [...chains.values()].map((chain) => chain.at(-1));
    const place = (chain) => grounds.indexOf(chain.at(-1));
    const below = ([, one], [, other]) => place(one) - place(other) || other.length - one.length;
    return [...chains].sort(below).map(([id]) => id);
  }

  // Those who wait stand above; then who is in charge, and below whom that one hands its work to.
  function drawStack(i) {
    const { stack, waiting } = steps[i];
    const waits = inOrder(waiting).map((id) => ["busy", id, workOf(id, i)]);
    const rest = stack.map((id, k) => (k ? ["below", id, ""] : ["charge", id, "in charge"]));
    const rows = [...waits, ...rest].map(([state, id, says]) => {
      const row = make("li", { class: state + " " + hueOf(id) }, traceName(id));
      const { tangents } = traces[id];
      if (tangents !== null) row.append(make("small", {}, "tangents to ", markOf(tangents)));
      if (says) row.append(make("span", { class: "says" }, says));
      return row;
    });
    return [make("ol", { class: "stack" }, ...rows)];
  }

  function drawFlow(i) {
    const step = steps[i];
    const rule = make("div", { class: "rule " + hueOf(step.trace) },
      label("rule"), make("b", {}, step.rule.name), make("small", {}, step.rule.where));
    const results = step.error
      ? make("div", { class: "side" }, label("raises"), make("p", { class: "error" }, step.error))
      : drawBoxes("results", step.results);
    const arrow = () => make("span", { class: "arrow", "aria-hidden": "true" });
    const after = [...drawMarks("within it", marksWithin(i)), ...drawMarks("after it", marksAtEnd(i))];
    return [make("div", { class: "before" }, ...drawMarks("before it", marksBefore(i))),
      drawBoxes("operands", step.operands), arrow(), rule, arrow(), results,
      make("div", { class: "after" }, ...after)];
  }

  // Programs that have begun, the one that was written to last above; beyond two, they are folded.
  function drawPrograms(i) {
    const grown = new Set(steps[i].grows.map(String));
    const begun = programs.map((program, p) => {
      const births = written[p].filter((birth) => birth <= i);
      const rows = program.equations.slice(0, births.length).map((text, e) => {
        const row = make("li", {}, code(text));
        if (grown.has(String([p, e]))) row.setAttribute("aria-current", "true");
        return row;
      });
      const tail = rows.length === program.equations.length ? program.tail : "\u2026";
      const title = make("p", { class: "label" }, markOf(program.trace), " ", program.kind);
      if (program.of) title.append(" of ", code(program.of));
      const drawn = make("div", { class: "program " + hueOf(program.trace) }, title,
        make("p", {}, code(program.head)), make("ol", {}, ...rows), make("p", {}, code(tail)));
      return { drawn, latest: births.at(-1) };
    });
    const shown = begun.filter(({ latest }) => latest !== undefined);
    const drawn = shown.sort((one, other) => other.latest - one.latest).map((each) => each.drawn);
    if (!drawn.length) return [make("p", {}, "Nothing yet.")];
    const folded = drawn.splice(2);
    if (folded.length) {
      drawn.push(make("details", {}, make("summary", {}, "written before: " + folded.length), ...folded));
    }
    return drawn;
  }

  // The list of all steps: one button has the tab stop, arrows go from one to the next.

  const rows = steps.map((step, i) => {
    const element = button("", "", () => go(i));
    element.append(markOf(step.trace), " ", code(nameOf(step)), " ", make("small", {}, step.rule.name));
    return element;
  });

  function drawList() {
    const lists = [make("ol", { start: 0 })];
    function put(depth, item) {
      lists.length = Math.min(lists.length, depth + 1);
      if (lists.length <= depth) {
        const inner = make("ol", {});
        lists.at(-1).lastElementChild.append(inner);
        lists.push(inner);
      }
      lists.at(-1).append(item);
    }
    for (let i = 0; i <= steps.length; i++) {
      for (const { before, parent, text } of marks) {
        if (before === i) put(parent === null ? 0 : depths[parent] + 1, make("li", { class: "mark-row" }, text));
      }
      if (i < steps.length) put(depths[i], make("li", { value: i }, rows[i]));
    }
    return lists[0];
  }

  // The ways from step to step. Where a primitive is chosen, only its steps are visited.

  let at = 0;
  let timer = null;
  const wanted = (i) => !choice.value || steps[i].primitive === choice.value;

  function next(over) {
    for (let i = at + 1; i <= last; i++) if (wanted(i) && (!over || depths[i] <= depths[at])) return i;
    return null;
  }

  function previous(over) {
    for (let i = at - 1; i >= 0; i--) if (wanted(i) && (!over || depths[i] <= depths[at])) return i;
    return null;
  }

  function go(i) {
    stop();
    if (i !== null) show(i);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    status.setAttribute("aria-live", "polite");
    play.textContent = "Play";
  }

  function start() {
    status.setAttribute("aria-live", "off"); // A voice would lag behind.
    play.textContent = "Pause";
    if (next(false) === null) show(0);
    timer = setInterval(() => {
      const i = root.isConnected ? next(false) : null;
      if (i === null) stop();
      else show(i);
    }, 1000 * SECONDS);
  }

  // The controls.

  const back = button("Back", "the step before (arrow left; with Shift, over what lies deeper)", () => go(previous(false)));
  const into = button("Step into", "the next step (arrow right)", () => go(next(false)));
  const over = button("Step over", "the next step that lies no deeper (Shift and arrow right)", () => go(next(true)));
  const play = button("Play", "one step after the other", () => (timer === null ? start() : stop()));
  const slider = make("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "step" });
  slider.addEventListener("input", () => go(Number(slider.value)));
  const place = make("span", { class: "place" });
  const choice = make("select", {}, make("option", { value: "" }, "every step"));
  const counts = new Map();
  for (const { primitive } of steps) counts.set(primitive, (counts.get(primitive) ?? 0) + 1);
  for (const [name, count] of [...counts].sort()) {
    choice.append(make("option", { value: name }, name + " (" + count + ")"));
  }
  choice.addEventListener("change", () => {
    rows.forEach((row, i) => row.classList.toggle("passed-by", !wanted(i)));
    go(wanted(at) ? at : next(false) ?? previous(false));
  });

  const status = make("p", { class: "status", role: "status", "aria-live": "polite", "aria-atomic": "true" });
  const [codePanel, codeBody] = panel("source", "Your code");
  const [stackPanel, stackBody] = panel("traces", "Who is in charge");
  const [flowPanel, flowBody] = panel("flow", "What happens");
  const [programPanel, programBody] = panel("programs", "What is being written");
  const [listPanel, listBody] = panel("list", "All steps");
  listBody.append(drawList());
  if (data.left_out) listBody.append(make("p", {}, data.left_out + " more steps were not recorded."));
  if (data.error) listBody.append(make("p", { class: "error" }, "In the end it raised " + data.error));
  flowBody.before(status);

  const root = make("div", { class: "minijax-stepper", role: "group", tabindex: -1, "aria-label": data.title + ", step by step" },
    make("p", { class: "top" }, make("b", {}, code(data.title)), make("span", {}, steps.length + (last ? " steps" : " step"))),
    make("div", { class: "controls" }, make("div", { class: "buttons" }, back, into, over, play),
      make("label", { class: "slider" }, slider, place), make("label", {}, "visit ", choice)),
    make("div", { class: "panels" }, codePanel, stackPanel, flowPanel,
      ...(programs.length ? [programPanel] : []), listPanel));

  // Keys. The page's own, and JupyterLab's, would turn pages and leave cells.

  const ways = {
    ArrowRight: (event) => next(event.shiftKey),
    ArrowLeft: (event) => previous(event.shiftKey),
    Home: () => 0,
    End: () => last,
  };
  const inList = { ArrowDown: () => next(false), ArrowUp: () => previous(false) };

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === choice) return event.stopPropagation();
    const way = ways[event.key] ?? (rows.includes(event.target) ? inList[event.key] : null);
    if (!way) return;
    event.stopPropagation();
    event.preventDefault();
    go(way(event));
  });

  // Showing a step.

  // Scrolls a panel, and never the page, so that an element is seen in it.
  function reveal(box, element) {
    if (!element) return;
    const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
    if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + inner.height;
    if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + inner.height;
  }

  function show(i) {
    const focused = rows.includes(root.getRootNode().activeElement);
    const row = rows.at(at);
    row.removeAttribute("aria-current");
    row.tabIndex = -1;
    at = i;
    slider.value = i;
    slider.setAttribute("aria-valuetext", "step " + i + " of " + last + ": " + steps[i].primitive);
    place.textContent = i + " / " + last;
    allow(back, previous(false) !== null);
    allow(into, next(false) !== null);
    allow(over, next(true) !== null);
    status.replaceChildren(...sentence(i));
    codeBody.replaceChildren(...drawSource(i));
    stackBody.replaceChildren(...drawStack(i));
    flowBody.replaceChildren(...drawFlow(i));
    programBody.replaceChildren(...drawPrograms(i));
    rows[i].setAttribute("aria-current", "step");
    rows[i].tabIndex = 0;
    if (focused) rows[i].focus({ preventScroll: true });
    reveal(codeBody, codeBody.querySelector("[aria-current]"));
    reveal(programBody, programBody.querySelector("[aria-current]"));
    reveal(listBody, rows[i]);
  }

  const shadow = host.attachShadow({ mode: "open" });
  shadow.append(host.querySelector("style").cloneNode(true), root);
  host.querySelector("details").remove();
  rows.forEach((row) => (row.tabIndex = -1));
  show(0);
})();
