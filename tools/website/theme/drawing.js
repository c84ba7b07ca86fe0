// Draws formulas and diagrams, on the site's pages and on slides. It loads what it needs from vendor/,
// on the pages that need it, and works from file:// too: scripts and style sheets, no fetch.
"use strict";

// Draws all within `main`. Resolves once that is done, or once the console says why it is not.
function drawing(main) {
  const page = document.documentElement;
  const find = (selector) => [...main.querySelectorAll(selector)];

  // Resolves once a script of vendor/ has run.
  function load(file) {
    return new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement("script"), { src: `${path_to_root}vendor/${file}` });
      script.onload = resolve;
      script.onerror = () => reject(new Error(`vendor/${file} is not there: make site brings it`));
      document.head.append(script);
    });
  }

  // Formulas: the element's text is TeX.
  async function drawFormulas(formulas) {
    const sheet = `${path_to_root}vendor/katex/katex.min.css`;
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: sheet });
    document.head.append(link);
    await load("katex/katex.min.js");
    for (const formula of formulas) {
      const displayMode = formula.classList.contains("display");
      katex.render(formula.textContent, formula, { displayMode, throwOnError: false });
    }
  }

  // Diagrams, in the page's colours: drawn again when these change.
  function mermaidTheme() {
    const style = getComputedStyle(page);
    const colour = (name) => style.getPropertyValue(name).trim();
    return {
      darkMode: style.colorScheme === "dark",
      background: colour("--bg"),
      fontFamily: getComputedStyle(main).fontFamily,
      fontSize: "15px",
      primaryColor: colour("--node"),
      primaryTextColor: colour("--fg"),
      primaryBorderColor: colour("--accent"),
      secondaryColor: colour("--code-bg"),
      tertiaryColor: colour("--code-bg"),
      lineColor: colour("--muted"),
      textColor: colour("--fg"),
      useGradient: false,
      dropShadow: "none",
      edgeLabelBackground: colour("--bg"),
      clusterBkg: colour("--code-bg"),
      clusterBorder: colour("--hairline"),
      titleColor: colour("--fg"),
      noteBkgColor: colour("--code-bg"),
      noteTextColor: colour("--fg"),
      noteBorderColor: colour("--hairline"),
    };
  }

  let drawing = Promise.resolve(); // One at a time: Mermaid has one configuration.
  async function drawDiagrams(sources) {
    const themeVariables = mermaidTheme();
    const flowchart = { wrappingWidth: 300, minNodeWidth: 40 };
    mermaid.initialize({
      startOnLoad: false, suppressErrorRendering: true, theme: "base", themeVariables, flowchart,
    });
    for (const [element, source] of sources) {
      try {
        await drawDiagram(element, source);
      } catch (error) {
        console.error(`A diagram that Mermaid cannot draw: ${error.message}`);
        const code = document.createElement("code");
        code.append(source);
        element.replaceChildren(code);
      }
    }
  }

  // Letters of less than two thirds of their size are hard to read. Where a diagram would shrink
  // more, from left to right becomes from top to bottom, and what is still too wide scrolls.
  let drawings = 0;
  async function drawDiagram(element, source) {
    const draw = async (text) => {
      const { svg } = await mermaid.render(`diagram-${(drawings += 1)}`, text);
      element.innerHTML = svg;
      return element.firstElementChild.viewBox.baseVal.width;
    };
    let width = await draw(source);
    const upright = source.replace(/^(\s*flowchart) LR/, "$1 TD");
    if (width > 1.5 * main.clientWidth && upright !== source) width = await draw(upright);
    element.firstElementChild.style.minWidth = `${width / 1.5}px`;
  }

  async function startDiagrams(elements) {
    const sources = new Map(elements.map((element) => [element, element.textContent]));
    const draw = () => (drawing = drawing.then(() => drawDiagrams(sources)));
    await load("mermaid/mermaid.min.js");
    await draw();
    let theme = JSON.stringify(mermaidTheme());
    new MutationObserver(() => {
      const now = JSON.stringify(mermaidTheme());
      if (now !== theme) draw();
      theme = now;
    }).observe(page, { attributeFilter: ["class"] });
  }

  const [formulas, diagrams] = [find(".math"), find("pre.mermaid")];
  const drawn = [
    formulas.length ? drawFormulas(formulas) : null,
    diagrams.length ? startDiagrams(diagrams) : null,
  ];
  return Promise.all(drawn).catch((error) => console.error(error.message));
}
