// The explorer: two lists, and a frame that shows what they choose. On the site it loads a walk that
// was made beforehand; live, what is written is sent to the server a moment after the last key.
(() => {
  "use strict";
  const WAIT = 500; // milliseconds
  const here = document.currentScript;
  const explorer = here.parentElement.querySelector(".explorer");
  const programs = JSON.parse(explorer.querySelector("script").textContent);
  const field = (name) => explorer.querySelector(`[name="${name}"]`);
  const said = explorer.querySelector(".said");
  const frame = explorer.querySelector("iframe");
  const token = new URLSearchParams(location.search).get("token");
  const isLive = here.dataset.live === "yes";
  const folder = here.dataset.folder ?? "";
  let timer = 0;
  let newest = new AbortController(); // of the question that was asked last
  const page = Math.random().toString(36).slice(2); // so that the server knows whose question is the newer

  const theme = () => {
    const own = document.documentElement.classList;
    if (["navy", "coal", "ayu"].some((name) => own.contains(name))) return "dark";
    if (["light", "rust"].some((name) => own.contains(name))) return "light";
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  };

  const fill = (select, options) => {
    select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  };

  const chosen = () => {
    const program = programs.find((one) => one.name === field("program").value);
    return [program, program.walks.find((one) => one.name === field("transformation").value)];
  };

  const chooseProgram = () => {
    const before = field("transformation").value;
    const program = programs.find((one) => one.name === field("program").value);
    fill(field("transformation"), program.walks.map((one) => [one.name, one.expression]));
    if (program.walks.some((one) => one.name === before)) field("transformation").value = before;
    field("text").value = program.text;
    field("text").rows = Math.min(Math.max(program.text.split("\n").length + 1, 4), 20);
    chooseTransformation();
  };

  const chooseTransformation = () => {
    const [program, walk] = chosen();
    field("expression").value = walk.expression;
    field("arguments").value = walk.arguments;
    if (isLive) return ask();
    history.replaceState(null, "", `#${program.name}/${encodeURIComponent(walk.name)}`);
    frame.removeAttribute("srcdoc");
    frame.style.colorScheme = theme();
    frame.src = `${folder}${walk.file}#${theme()}`;
  };

  const ask = async () => {
    newest.abort();
    newest = new AbortController();
    const { signal } = newest;
    said.textContent = "Running ...";
    const question = {};
    for (const name of ["text", "expression", "arguments"]) question[name] = field(name).value;
    let answer;
    try {
      const response = await fetch("/walk", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Token": token, "X-Page": page },
        body: JSON.stringify(question),
        signal,
      });
      answer = response.ok ? await response.json() : { failed: await response.text() };
    } catch {
      answer = { failed: "The server doesn't answer. Is it still running?" };
    }
    if (signal.aborted) return; // another question was asked meanwhile
    said.textContent = answer.failed;
    if (answer.page) frame.srcdoc = answer.page;
  };

  field("program").addEventListener("change", chooseProgram);
  field("transformation").addEventListener("change", chooseTransformation);
  if (isLive) {
    for (const name of ["text", "expression", "arguments"]) {
      field(name).readOnly = false;
      field(name).addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(ask, WAIT);
      });
    }
  }
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow) return;
    const height = event.data?.walkHeight;
    if (Number.isFinite(height)) frame.style.height = `${Math.ceil(height) + 2}px`;
  });
  const tellTheme = () => {
    frame.style.colorScheme = theme();
    frame.contentWindow?.postMessage(theme(), "*");
  };
  frame.addEventListener("load", tellTheme);
  new MutationObserver(tellTheme).observe(document.documentElement, { attributeFilter: ["class"] });

  fill(field("program"), programs.map((one) => [one.name, one.title]));
  const [name, transformation] = decodeURIComponent(location.hash.slice(1)).split("/");
  if (programs.some((one) => one.name === name)) field("program").value = name;
  chooseProgram();
  if (chosen()[0].walks.some((one) => one.name === transformation)) {
    field("transformation").value = transformation;
    chooseTransformation();
  }
})();
