"""Chromium opens the pages of the site, with the network off: `make test-site`.

A page is asked what stands in `in_the_page.js`.
"""

import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

import minijax as jax
import minijax.numpy as jnp
from browser_tabs import DESK, PHONE, Tab
from minijax.stages.kin import kin_of

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "build" / "book"
NO_PAGES = {"toc.html", "404.html"}  # a frame of the pages; what a host shows in place of one
# (The explorer's walks stand in a frame of its page: test_stepper.py. Slides: test_slides.py.)
ELSEWHERE = {"explore", "slides"}
PAGES = sorted(str(p.relative_to(BOOK)) for p in BOOK.rglob("*.html")
               if p.name not in NO_PAGES and p.parent.name not in ELSEWHERE)  # fmt: skip
if not PAGES:
    raise RuntimeError("build/book holds no page; `make site` builds it, and `make test-site` too.")

# A module and its source have a page each, made by one template. Where it holds no table and no
# picture, which could be too wide, some stand for all. Links and sizes are asked of each page.
WIDE = re.compile(r"<main>.*<(table|img|svg)\b.*</main>", re.DOTALL)
PLAIN = [path for path in PAGES if path.startswith(("modules/", "sources/"))
         and not WIDE.search((BOOK / path).read_text(encoding="utf-8"))]  # fmt: skip
OPENED = sorted({*PAGES} - {*PLAIN}) + PLAIN[::8]

LEAST_CONTRAST = 4.5
LARGEST_PAGE = 1_500_000
LARGEST_INDEX = 3_000_000
KINDS = [
    "index.html", "00-tour.html", "05-forward.html", "12-prng.html", "14-fuse.html",
    "A-errors.html", "exercises/ch05_forward.html", "jax.html", "glossary.html",
    "modules/minijax.core.forward.html", "sources/minijax.core.forward.html",
]  # fmt: skip
SEARCHES = {
    "BatchTrace": "06-batching.html",
    "perturbation confusion": "05-forward.html",
    "linearize_jaxpr": "11-programs.html",
}


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def address():
    """The built site's, on this machine."""
    handler = partial(QuietHandler, directory=BOOK)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def phone(browser, address):
    tab = Tab(browser, address, PHONE)
    yield tab
    tab.context.close()


@pytest.fixture
def desk(browser, address):
    tab = Tab(browser, address, DESK)
    yield tab
    tab.context.close()
    assert not tab.troubles


# Pages.


@pytest.mark.parametrize("path", OPENED)
def test_page(phone, path):
    phone.troubles.clear()
    phone.open(path)
    assert not phone.ask("drawing()")
    assert not phone.ask("width()")
    assert not phone.troubles


class Anchors(HTMLParser):
    """What a page can be asked for, where it leads, and the pictures that it shows."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.pictures, self.twice = {""}, set(), set(), set()
        self.feed((BOOK / path).read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if name := values.get("id"):
            (self.twice if name in self.ids else self.ids).add(name)
        if tag == "a" and "href" in values:
            self.links.add(values["href"])
        if tag == "img":
            self.pictures.add(values["src"])


@pytest.fixture(scope="session")
def anchors():
    return {path: Anchors(path) for path in [*PAGES, "toc.html"]}


def test_links_lead_somewhere(anchors):
    dead = []
    for path, page in anchors.items():
        for link in page.links:
            parts = urlsplit(urljoin(path, link))
            if parts.scheme:
                continue
            target = unquote(parts.path)
            if target in anchors:
                found = unquote(parts.fragment) in anchors[target].ids
            else:
                found = (BOOK / target).is_file()
            if not found:
                dead.append(f"{path}: {link}")
    assert not dead


def test_links_outwards_are_safe(anchors):
    outwards = {link for page in anchors.values() for link in page.links if urlsplit(link).scheme}
    assert not {link for link in outwards if not link.startswith(("https://", "mailto:"))}


def test_no_id_stands_twice_on_a_page(anchors):
    assert not {path: page.twice for path, page in anchors.items() if page.twice}


def test_pages_are_small(anchors):
    large = {}
    for path, page in anchors.items():
        files = [BOOK / path, *(BOOK / unquote(urljoin(path, name)) for name in page.pictures)]
        if (size := sum(file.stat().st_size for file in files)) >= LARGEST_PAGE:
            large[path] = size
    assert not large


def read_files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_building_again_gives_the_same_bytes(tmp_path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([ROOT / ".site-tools" / "bin" / "mdbook", "build", "--dest-dir", tmp_path],
                   cwd=ROOT, env=os.environ | {"PATH": path}, check=True)  # fmt: skip
    first, second = read_files(BOOK), read_files(tmp_path)
    assert set(first) == set(second)
    assert not {name for name in first if first[name] != second[name]}


# The looks.


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", KINDS)
def test_text_stands_out(browser, address, path, theme):
    tab = Tab(browser, address, DESK, theme, reduced_motion="reduce")
    tab.open(path)
    tab.page.add_style_tag(content="* { transition: none !important }")
    assert tab.page.evaluate("getComputedStyle(document.documentElement).colorScheme") == theme
    found = tab.ask(f"contrast({LEAST_CONTRAST})")
    tab.context.close()
    assert found["measured"] > 50
    assert not found["faint"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_opens_over_a_page_stands_out(browser, address, theme):
    tab = Tab(browser, address, DESK, theme)
    tab.open("05-forward.html")
    tab.page.add_style_tag(content="* { transition: none !important }")
    search(tab.page, "perturbation confusion")
    tab.page.click("#mdbook-theme-toggle")
    assert not tab.ask(f"contrast({LEAST_CONTRAST})")["faint"]
    tab.page.click("#mdbook-searchresults a")
    tab.page.wait_for_selector("main mark")
    tab.wait()
    tab.page.keyboard.press("?")
    assert not tab.ask(f"contrast({LEAST_CONTRAST})")["faint"]
    tab.context.close()


def test_a_change_of_theme_draws_diagrams_anew(desk):
    desk.open("05-forward.html")
    before = desk.page.inner_html("pre.mermaid")
    desk.page.click("#mdbook-theme-toggle")
    shown = desk.page.locator("#mdbook-theme-list button:visible")
    assert shown.all_inner_texts() == ["Auto", "Light", "Dark"]
    shown.last.click()
    desk.page.wait_for_function(
        "before => document.querySelector('pre.mermaid').innerHTML !== before", arg=before
    )
    assert not desk.ask("drawing()")


@pytest.mark.parametrize("path", [*KINDS, "A-errors.html", "contributing.html"])
def test_no_name_breaks_within_a_word_on_a_phone(phone, path):
    phone.troubles.clear()
    phone.open(path)
    assert not phone.ask("brokenNames()")


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}])
def test_the_first_screen_holds_the_sentence_the_picture_and_the_ways(browser, address, size):
    tab = Tab(browser, address, size)
    tab.open("index.html")
    for part in (".hero-words > p", "svg.falling", ".buttons li:last-child"):
        box = tab.page.locator(part).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"], part
    tab.context.close()


def test_the_picture_moves_once_and_again_when_asked(desk):
    desk.open("index.html")
    animations = "document.querySelector('svg.falling').getAnimations({subtree: true})"
    running = f"{animations}.filter(a => a.playState === 'running').length"
    desk.page.wait_for_function(f"{running} === 0")
    desk.page.click(".again")
    assert desk.page.evaluate(running) > 0
    desk.page.emulate_media(reduced_motion="reduce")
    assert desk.page.evaluate(running) == 0
    tokens = "[...document.querySelectorAll('.falling .token')]"
    assert desk.page.evaluate(f"{tokens}.every(token => getComputedStyle(token).opacity === '1')")


# Finding one's way.


def search(page, words):
    """Returns the pages that a search finds, the best first."""
    page.keyboard.press("/")
    page.fill("#mdbook-searchbar", words)
    page.keyboard.press("End")  # mdBook searches when a key goes up
    page.wait_for_selector("#mdbook-searchresults li a")
    links = page.locator("#mdbook-searchresults li a")
    return [urlsplit(link).path for link in links.evaluate_all("links => links.map(a => a.href)")]


def test_the_first_result_comes_within_a_second_of_the_first_key(desk):
    desk.open("index.html")
    desk.page.keyboard.press("/")
    start = time.perf_counter()
    desk.page.keyboard.type("v")
    desk.page.wait_for_selector("#mdbook-searchresults li a")
    assert time.perf_counter() - start < 1


def test_a_result_shows_a_sentence_and_whole_words(desk):
    desk.open("index.html")
    search(desk.page, "residual")
    shown = desk.page.locator("#mdbook-searchresults .teaser").all_inner_texts()
    code = re.compile(r"\bdef |flowchart|-->|\blet\b.*=")
    assert shown and not [text for text in shown if code.search(text)]
    found = desk.page.locator("#mdbook-searchresults em").all_inner_texts()
    assert {text.lower() for text in found} == {"residual"}


def test_what_no_page_has_as_a_word_is_found_as_a_beginning(desk):
    desk.open("index.html")
    search(desk.page, "lineariz")
    assert "lineariz" in desk.page.inner_text("#mdbook-searchresults em >> nth=0").lower()
    desk.page.fill("#mdbook-searchbar", "no qwertz yxcvb")
    assert desk.page.locator("#mdbook-searchresults li").count() == 0
    assert "no sentence" in desk.page.inner_text("#mdbook-searchresults-header")


def test_keys_lead_through_results_and_close_them(desk):
    desk.open("index.html")
    search(desk.page, "residual")
    desk.page.keyboard.press("ArrowDown")
    desk.page.keyboard.press("ArrowDown")
    second = desk.page.locator("#mdbook-searchresults a").nth(1)
    assert second.evaluate("link => link === document.activeElement")
    desk.page.keyboard.press("Escape")
    desk.page.locator("#mdbook-search-wrapper").wait_for(state="hidden")


def test_what_the_search_finds_is_there(anchors):
    text = (BOOK / "search/index.js").read_text(encoding="utf-8")
    pages = json.loads(text.removeprefix("window.search.load(").rstrip(");\n"))
    found = {f"{path}#{anchor}" for path, _, sections in pages for anchor, *_ in sections}
    assert not {f for f in found if f.partition("#")[2] not in anchors[f.partition("#")[0]].ids}
    assert len(text.encode()) < LARGEST_INDEX


@pytest.mark.parametrize("words", SEARCHES)
def test_search_finds(desk, words):
    desk.open("index.html")
    assert any(path.endswith(f"/{SEARCHES[words]}") for path in search(desk.page, words))
    desk.page.keyboard.press("Enter")
    desk.page.wait_for_selector("main mark")
    assert words.split()[0].lower() in desk.page.inner_text("main").lower()


def test_two_clicks_lead_from_a_search_to_the_chapter(desk):
    desk.open("index.html")
    search(desk.page, "linearize_jaxpr")
    desk.page.click("#mdbook-searchresults a >> nth=0")
    desk.page.wait_for_url("**/modules/minijax.core.programs.html*")
    desk.page.click("#linearize_jaxpr ~ p a[href*='11-programs.html#']")
    desk.page.wait_for_url("**/11-programs.html#*")
    desk.wait()


def test_the_pages_before_and_after_have_their_titles(desk):
    desk.open("05-forward.html")
    before, after = desk.page.locator(".neighbours a").all()
    assert before.inner_text() == "← 04 Pytrees" and after.inner_text() == "06 Batching →"
    assert desk.page.get_attribute(".nav-chapters.next", "title") == "06 Batching →"
    after.click()
    desk.page.wait_for_url("**/06-batching.html")
    desk.wait()


def test_arrows_turn_pages(desk):
    desk.open("05-forward.html")
    desk.page.keyboard.press("ArrowRight")
    desk.page.wait_for_url("**/06-batching.html")
    desk.wait()
    desk.page.keyboard.press("ArrowLeft")
    desk.page.wait_for_url("**/05-forward.html")
    desk.wait()


def test_arrows_scroll_code_that_has_the_focus(desk):
    desk.page.set_viewport_size(PHONE)
    desk.open("05-forward.html")
    code = desk.page.locator("[id='05-forward-004'] > pre code")
    code.evaluate("element => { element.tabIndex = 0; element.focus(); }")
    desk.page.keyboard.press("ArrowRight")
    desk.page.wait_for_timeout(300)
    assert code.evaluate("element => element.scrollLeft") > 0
    assert desk.page.url.endswith("/05-forward.html")


def test_keys_lead_past_the_contents_and_fold_them_away(desk):
    desk.open("05-forward.html")
    desk.page.keyboard.press("Tab")
    desk.page.keyboard.press("Enter")
    desk.page.keyboard.press("Tab")
    assert desk.page.evaluate("document.activeElement.closest('main') !== null")
    contents = desk.page.locator("#mdbook-sidebar")
    desk.page.focus("#mdbook-sidebar-toggle")
    desk.page.keyboard.press("Enter")
    contents.wait_for(state="hidden")
    desk.page.keyboard.press("Space")
    contents.wait_for(state="visible")


def test_a_section_chosen_on_a_phone_is_not_covered(desk):
    desk.page.set_viewport_size(PHONE)
    desk.open("05-forward.html")
    desk.page.click("#mdbook-sidebar-toggle")
    desk.page.click(".sidebar a[href*='#the-trace'] >> nth=0")
    desk.page.locator("#mdbook-sidebar").wait_for(state="hidden")


def test_a_link_into_a_fold_opens_it(desk):
    desk.open("05-forward.html#05-forward-010")
    assert desk.page.locator("[id='05-forward-010'] details").get_attribute("open") is not None


def test_long_tables_are_filtered(desk):
    desk.open("jax.html")
    rows = desk.page.locator(".searchable tbody tr:visible")
    whole = rows.count()
    desk.page.fill(".filter", "mlir")
    assert 0 < rows.count() < whole
    assert all("mlir" in text.lower() for text in rows.all_inner_texts())
    assert desk.page.inner_text(".filter-count") == f"{rows.count()} of {whole} rows"
    desk.page.keyboard.press("ArrowRight")
    assert desk.page.url.endswith("/jax.html")


def test_a_page_works_from_a_file(browser):
    tab = Tab(browser, BOOK.as_uri(), DESK)
    tab.page.goto((BOOK / "05-forward.html").as_uri())
    tab.wait()
    assert not tab.ask("drawing()")
    assert tab.page.evaluate("document.fonts.check('16px KaTeX_Math')")
    found = search(tab.page, "perturbation confusion")
    assert any(path.endswith("/05-forward.html") for path in found)
    assert not tab.troubles
    tab.context.close()


# An explanation: a line is pointed at, or has the focus, and its kin are lit.


def curve(x):
    height = jnp.sin(x) * 1
    return jnp.cos(height) + height


@pytest.fixture(scope="module")
def explained():
    return jax.explain(curve)(jnp.ones((300, 200)))


@pytest.fixture(scope="module")
def explained_page(explained, tmp_path_factory):
    """The address of a file that shows it twice."""
    file = tmp_path_factory.mktemp("explained") / "page.html"
    html = explained._repr_html_()
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    dark = "@media (prefers-color-scheme: dark) { body { background: #17191b; color: #d9d5cd } }"
    style = f"<style>:root {{ color-scheme: light dark }} body {{ margin: 0 }} {dark}</style>"
    page = f'<div id="mdbook-content"><main>{html}{html}</main></div>'
    file.write_text(f"<!doctype html>{head}{style}{page}", encoding="utf-8")
    return file.as_uri()


def lit(page):
    return page.eval_on_selector_all(
        ".mjx-lit, .mjx-here", "lines => [...new Set(lines.map(line => line.dataset.key))]"
    )


# Lights each line in each way; given the kin of each, says where others are lit.
WRONGLY_LIT = """(kin) => {
  const [first, last] = document.querySelectorAll(".mjx");
  for (const fold of first.querySelectorAll("details")) fold.open = true;
  const ways = {
    pointer: (line) => line.dispatchEvent(new PointerEvent("pointerover", { bubbles: true })),
    click: (line) => line.click(),
    focus: (line) => line.focus(),
  };
  const wrong = [];
  for (const [key, wanted] of Object.entries(kin)) {
    const line = first.querySelector(`[data-key=${key}]`);
    for (const [name, light] of Object.entries(ways)) {
      line.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
      light(line);
      const found = [...first.querySelectorAll(".mjx-lit, .mjx-here")].map((x) => x.dataset.key);
      if (found.sort().join() !== wanted.sort().join()) wrong.push(`${key} by ${name}: ${found}`);
      line.blur();
    }
  }
  if (last.querySelector(".mjx-lit")) wrong.push("another explanation is lit");
  return wrong;
}"""
# The boxes of which no lit line is in sight.
HIDDEN = """[...document.querySelectorAll(".mjx pre")].filter((box) => {
  const lines = [...box.querySelectorAll(".mjx-lit, .mjx-here")];
  const above = (x) => x.getBoundingClientRect().top - box.getBoundingClientRect().top;
  const isSeen = (x) => above(x) >= 0 && above(x) < box.clientHeight;
  return box.checkVisibility() && lines.length && !lines.some(isSeen);
}).length"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 900}], ids=["phone", "desk"])
def test_the_kin_of_each_line_of_an_explanation_are_lit(
    browser, explained, explained_page, viewport, theme
):
    tab = Tab(browser, explained_page, viewport, theme)
    tab.page.goto(explained_page)
    lines = [line for stage in explained.stages() for line in stage.lines]
    kin = {x.key: [y.key for y in found] for x, found in kin_of(lines).items() if len(found) > 1}
    assert len(kin) > 20
    assert not tab.page.evaluate(WRONGLY_LIT, kin)
    assert not tab.ask("width()")
    found = tab.ask(f"contrast({LEAST_CONTRAST})")
    assert found["measured"] > 50 and not found["faint"]
    assert not tab.troubles
    tab.context.close()


def test_keys_alone_lead_through_an_explanation(browser, explained, explained_page):
    tab = Tab(browser, explained_page, PHONE)
    tab.page.goto(explained_page)
    focused = "document.activeElement.dataset.key ?? ''"
    for _ in range(30):
        tab.page.keyboard.press("Tab")
        if tab.page.evaluate(focused):
            break
    user, jaxpr = explained.of_user, explained.of_jaxpr
    [sine] = [line for line in user.lines if "jnp.sin" in line.text]
    assert tab.page.evaluate(focused) == sine.key  # one stop for a stage: its first line with kin
    tab.page.keyboard.press("ArrowDown")
    [end] = [line for line in user.lines if "jnp.cos" in line.text]
    assert tab.page.evaluate(focused) == end.key
    tab.page.keyboard.press("ArrowRight")
    here = tab.page.evaluate(focused)
    assert here in [line.key for line in jaxpr.lines if end in line.comes_from]
    assert not tab.page.evaluate(HIDDEN)
    tab.page.keyboard.press("ArrowLeft")
    assert tab.page.evaluate(focused) in (sine.key, end.key)
    word = tab.page.locator(".mjx dfn").first
    word.focus()
    says = word.evaluate("word => getComputedStyle(word, '::after').content")
    assert word.get_attribute("title") in says
    tab.context.close()


def test_an_explanation_is_read_without_a_script(browser, explained, explained_page):
    context = browser.new_context(viewport=PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto(explained_page)
    text = page.locator(".mjx").first.inner_text()
    for stage in explained.stages():
        assert stage.title in text
        assert stage.is_long or all(line.text.strip() in text for line in stage.lines)
    context.close()


def test_keys_in_an_explanation_turn_no_page(desk):
    desk.open("25-numpy.html")
    line = desk.page.locator(".mjx [data-kin]").first
    line.focus()
    desk.page.keyboard.press("ArrowRight")
    desk.page.wait_for_timeout(300)
    assert desk.page.url.endswith("/25-numpy.html")
    assert lit(desk.page)
