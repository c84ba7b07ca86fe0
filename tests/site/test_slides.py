"""Chromium turns every slide of every chapter, from the disk and with the network off.

A slide is 1280 by 720, and what it shows stands within. Steppers scroll.
"""

from pathlib import Path

import pytest

from browser_tabs import Tab

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "build" / "book"
STEMS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
SCREEN = {"width": 1280, "height": 720}
LEAST_ZOOM = 0.45  # letters of a diagram are 15 pixels high at 1
TURN = """() => {
  const found = [];
  for (let number = 0; number < Reveal.getTotalSlides(); number += 1) {
    Reveal.slide(number);
    const slide = document.querySelector("section.present");
    const inner = [...slide.querySelectorAll(".words, .words *, .figure > *, .shown > *")];
    const outside = inner.filter((element) => {
      if (element.closest(".katex, .minijax-watch, aside")) return false;
      const box = element.getBoundingClientRect();
      return box.width && (box.left < 0 || box.top < 0 || box.right > 1281 || box.bottom > 721);
    });
    const [words, figure] = [".words", ".shown > *"].map((name) => slide.querySelector(name));
    const over = figure &&
      words.getBoundingClientRect().bottom > figure.parentElement.getBoundingClientRect().top;
    const room = figure?.parentElement.getBoundingClientRect();
    const box = figure?.getBoundingClientRect();
    found.push({
      number, over: Boolean(over),
      outside: outside.map((element) => element.outerHTML.slice(0, 80)),
      cut: Boolean(figure) && !figure.matches(".minijax-watch") &&
        (box.width > room.width + 2 || box.height > room.height + 2),
      empty: Boolean(figure) && (box.width < 20 || box.height < 10),
      zoom: figure ? Number(figure.style.zoom || 1) : 1,
    });
  }
  return found;
}"""


@pytest.fixture(scope="module")
def screens(browser):
    tabs = [Tab(browser, BOOK.as_uri(), SCREEN, theme) for theme in ("light", "dark")]
    yield tabs
    for tab in tabs:
        tab.context.close()


@pytest.mark.parametrize("stem", STEMS)
def test_every_slide_holds_what_it_shows(screens, stem):
    tab = screens[STEMS.index(stem) % 2]
    tab.troubles.clear()
    tab.page.goto(f"{tab.address}/slides/{stem}.html")
    tab.wait()
    slides = tab.page.evaluate(TURN)
    assert len(slides) > 2
    assert not [s for s in slides if s["outside"] or s["over"] or s["cut"] or s["empty"]]
    assert min(s["zoom"] for s in slides) > LEAST_ZOOM
    assert not tab.troubles


def test_the_colours_are_those_of_the_readers_system(screens):
    grounds = []
    for tab in screens:
        tab.page.goto(f"{tab.address}/slides/05-forward.html")
        tab.wait()
        grounds.append(tab.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(253, 252, 249)", "rgb(23, 25, 27)"]


def test_the_prose_between_is_the_speakers(screens):
    page = screens[0].page
    page.goto(f"{screens[0].address}/slides/05-forward.html#/2")
    screens[0].wait()
    with page.expect_popup() as popup:
        page.keyboard.press("s")
    notes = popup.value.locator(".speaker-controls-notes .value")
    notes.get_by_text("needs a direction").wait_for()
