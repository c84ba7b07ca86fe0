"""Chromium steps through recordings, alone and on the site's pages: `make test-site`.

At each step what is shown is compared with the recording; `in_the_stepper.js` reads it.
"""

import json
import os
from itertools import product
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from browser_tabs import DESK, PHONE, Tab
from minijax.watching.element import MOST_UNFOLDED, element
from watched_recordings import recordings, unshared

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "build" / "book"
WATCHED = '<div class="minijax-watch"'
PAGES = [page for page in sorted(BOOK.rglob("*.html")) if WATCHED in page.read_text("utf-8")]
WALKS = [page for page in PAGES if page.parent.name == "explore"]
PAGES = [page for page in PAGES if page.parent == BOOK]  # slides show these again
LEAST_CONTRAST = 4.5
# How one reads: on which screen, by touch or by keys, in the light or in the dark.
LAPTOP = {"width": 1280, "height": 900}
LOOKS = list(product([PHONE, LAPTOP], ["touch", "keys"], ["light", "dark"]))
# A page is read in two of these ways, which have nothing in common, and of the explorer's walks one
# in so many is stepped through. With EXPLORER=all, a page is read in every way, each walk in one.
IS_ALL = os.environ.get("EXPLORER") == "all"
EVERY = 1 if IS_ALL else 21


# What a step shows.


def shown_box(box):
    """A text; of what a tracer holds, the head and each part with its name."""
    if "parts" not in box:
        return box["text"]
    return [f"{box['label']} {box['kind']} {box['text']}",
            [[name, shown_box(part)] for name, part in box["parts"]]]  # fmt: skip


def labelled(box, traces):
    """A box whose tracers say which trace they are of."""
    if "parts" not in box:
        return box
    parts = [[name, labelled(part, traces)] for name, part in box["parts"]]
    return box | {"label": traces[box["trace"]]["label"], "parts": parts}


def shown_boxes(boxes, traces):
    return [shown_box(labelled(box, traces)) for box in boxes]


def births(data, number):
    """For each equation of a program the step that wrote it, or a later one first."""
    program, last = data["programs"][number], len(data["steps"]) - 1
    found = {equation: k for k, step in enumerate(data["steps"])
             for wrote, equation in step["grows"] if wrote == number}  # fmt: skip
    return [min([found[j] for j in range(e, len(program["equations"])) if j in found] or [last])
            for e in range(len(program["equations"]))]  # fmt: skip


def shown_programs(data, k):
    found = []
    for number, program in enumerate(data["programs"]):
        begun = [birth for birth in births(data, number) if birth <= k]
        if not begun:
            continue
        lines = program["equations"][: len(begun)]
        tail = program["tail"] if len(lines) == len(program["equations"]) else "…"
        label = data["traces"][program["trace"]]["label"]
        title = f"{label} {program['kind']}" + (f" of {program['of']}" if program["of"] else "")
        lit = [lines[e] for wrote, e in data["steps"][k]["grows"] if wrote == number]
        shown = {"title": title, "lines": [program["head"], *lines, tail], "lit": lit}
        found.append((begun[-1], shown))
    return [shown for _, shown in sorted(found, key=lambda pair: -pair[0])]


def line_of(data, k):
    """The line of a step, or of the nearest in whose rule it was asked."""
    step = data["steps"][k]
    while step["line"] is None and step["parent"] is not None:
        step = data["steps"][step["parent"]]
    return step["line"]


def same_line(data, k, shown):
    """Whether the line that is lit is a step's; one that the source has not is lit nowhere."""
    place = line_of(data, k)
    if place is None:
        return shown is None
    source = data["sources"][place[0]]
    lines = dict(enumerate(source["lines"], source["first"]))
    if place[1] not in lines:
        return shown is None
    name, number, text = shown
    return (name, number, text.strip()) == (source["name"], place[1], lines[place[1]].strip())


def in_order(waiting, traces):
    """Stack by stack, as they came to be in charge; within one, each above its parent."""
    stacks = {}
    for trace in reversed(waiting):
        chain = [trace]
        while (parent := traces[chain[-1]]["parent"]) is not None:
            chain.append(parent)
        stacks.setdefault(chain[-1], []).append((-len(chain), trace))
    return [trace for stack in stacks.values() for _, trace in sorted(stack, key=lambda x: x[0])]


def marks_at(data, k):
    """Those before a step, then those at once within it, and after the last one all that are left.
    One that is at once within another step is shown there alone."""
    marks, last = data["marks"], len(data["steps"]) - 1
    within = [mark["before"] - 1 == mark["parent"] for mark in marks]
    found = [x for x, is_in in zip(marks, within, strict=True) if x["before"] == k and not is_in]
    found += [x for x, is_in in zip(marks, within, strict=True) if x["parent"] == k and is_in]
    found += [x for x, is_in in zip(marks, within, strict=True)
              if k == last and x["before"] > last and not is_in]  # fmt: skip
    return [mark["text"] for mark in found]


def check_step(data, k, shown):
    step, traces = data["steps"][k], data["traces"]
    stack = [["busy", each] for each in in_order(step["waiting"], traces)]
    stack += [["below" if i else "charge", each] for i, each in enumerate(step["stack"])]
    error = step.get("error")
    assert shown["slider"] == shown["current"] == k
    assert shown["status"].startswith(f"Step {k}: ")
    assert step["primitive"] in shown["status"] and step["rule"]["name"] in shown["status"]
    seen = [(state, traces[each]["label"], traces[each]["tangents"]) for state, each in stack]
    assert shown["stack"] == [
        [state, label] if beside is None else [state, label, traces[beside]["label"]]
        for state, label, beside in seen
    ]
    assert shown["rule"] == [step["rule"]["name"], step["rule"]["where"]]
    assert shown["operands"] == shown_boxes(step["operands"], traces)
    assert shown["error"] == error
    assert error or shown["results"] == shown_boxes(step["results"], traces)
    assert shown["programs"] == shown_programs(data, k)
    assert shown["before"] + shown["after"] == marks_at(data, k)
    assert same_line(data, k, shown["line"])
    assert shown["end"] == ([f"In the end it raised {data['error']}"] if data["error"] else [])


# Pages of elements.


@pytest.fixture(scope="session")
def watched():
    return recordings()


@pytest.fixture(scope="session")
def page_of_all(watched, tmp_path_factory):
    """All recordings on one page."""
    file = tmp_path_factory.mktemp("stepper") / "page.html"
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Steps</title>'
    screen = '<meta name="viewport" content="width=device-width">'
    style = "<style>body { background: light-dark(#fff, #111); color: light-dark(#222, #eee) }"
    scheme = ":root { color-scheme: light dark }</style><body>"
    text = "".join([head, screen, style, scheme, *map(element, watched.values())])
    file.write_text(text, encoding="utf-8")
    return file.as_uri()


def looks_of(number):
    return LOOKS if IS_ALL else [LOOKS[number % len(LOOKS)], LOOKS[-1 - number % len(LOOKS)]]


def named(look):
    viewport, way, theme = look
    return f"{viewport['width']}-{way}-{theme}"


def open_page(browser, uri, viewport, theme="light", root="", **options):
    """A page on which nothing may be said in the console."""
    tab = Tab(browser, root or uri.rpartition("/")[0], viewport, theme, **options)
    tab.page.on("console", lambda said: tab.troubles.append(f"{said.type}: {said.text}"))
    tab.context.add_init_script(path=Path(__file__).with_name("in_the_stepper.js"))
    tab.page.goto(uri)
    return tab


@pytest.fixture
def desk(browser, page_of_all):
    tab = open_page(browser, page_of_all, DESK)
    yield tab
    tab.context.close()
    assert not tab.troubles


def host_of(page, number):
    return page.locator(".minijax-watch").nth(number)


def read(host):
    return host.evaluate("host => readStepper(host)")


def walk(host, data, way):
    """Steps to the end, and compares each step. A tap is what a finger does: the browser is told of
    a touch that begins and ends."""
    into = host.get_by_role("button", name="Step into")
    if data["steps"] and way == "keys":
        into.focus()
    for k in range(len(data["steps"])):
        if k and way == "keys":
            host.page.keyboard.press("ArrowRight")
        elif k:
            into.tap()
        check_step(data, k, read(host))
    if data["steps"]:
        assert into.get_attribute("aria-disabled") == "true"


@pytest.mark.parametrize("look", LOOKS if IS_ALL else LOOKS[:2] + LOOKS[-2:], ids=named)
def test_each_step_is_shown_as_recorded(browser, watched, page_of_all, look):
    viewport, way, theme = look
    tab = open_page(browser, page_of_all, viewport, theme, has_touch=way == "touch")
    for number, recording in enumerate(watched.values()):
        walk(host_of(tab.page, number), recording.as_data(), way)
        assert not tab.ask("sideways()")
    found = tab.ask(f"contrast({LEAST_CONTRAST})")
    tab.context.close()
    assert found["measured"] > 500
    assert not found["faint"]
    assert not tab.troubles


READ = [(page, look) for number, page in enumerate(PAGES) for look in looks_of(number)]


@pytest.mark.parametrize("page, look", READ, ids=[f"{p.stem}-{named(look)}" for p, look in READ])
def test_each_step_of_the_site_is_shown_as_recorded(browser, page, look):
    viewport, way, theme = look
    root, touch = BOOK.as_uri(), way == "touch"
    tab = open_page(browser, page.as_uri(), viewport, theme, root, has_touch=touch)
    tab.wait()
    hosts = tab.page.locator(".minijax-watch:has(script)")
    assert hosts.count()
    for number in range(hosts.count()):
        assert hosts.nth(number).evaluate("host => getComputedStyle(host).colorScheme") == theme
        text = hosts.nth(number).locator("script").first.text_content()
        walk(hosts.nth(number), unshared(json.loads(text)), way)
        assert tab.page.url == page.as_uri()
    assert not tab.ask("sideways()")
    tab.context.close()
    assert not tab.troubles


@pytest.mark.parametrize("page", WALKS, ids=lambda page: page.stem)
def test_the_explorer_is_shown_as_recorded(browser, page):
    """Of some programs each step; of the others the first and the last."""
    number = WALKS.index(page)
    viewport, way, theme = LOOKS[number % len(LOOKS)]
    tab = open_page(browser, page.as_uri(), viewport, theme, has_touch=way == "touch")
    [host] = tab.page.locator(".minijax-watch").all()
    data = unshared(json.loads(host.locator("script").first.text_content()))
    if number % EVERY == 0:
        walk(host, data, way)
    else:
        check_step(data, 0, read(host))
        host.get_by_role("slider").press("End")
        check_step(data, len(data["steps"]) - 1, read(host))
    assert not tab.ask("sideways()")
    tab.context.close()
    assert not tab.troubles


def test_without_scripts_there_is_the_outline(browser, watched, page_of_all):
    tab = open_page(browser, page_of_all, PHONE, java_script_enabled=False)
    for number, recording in enumerate(watched.values()):
        host = host_of(tab.page, number)
        if len(recording) > MOST_UNFOLDED:
            host.locator("summary").click()
        items = host.locator("li[value]")
        assert items.count() == len(recording)
        for item, step in zip(items.all(), recording, strict=True):
            assert item.is_visible()
            assert step.primitive in item.inner_text()
    tab.context.close()


def test_where_scripts_are_run_elsewhere(desk, watched):
    desk.page.evaluate("""texts => {
        document.body.replaceChildren();
        for (const text of texts) {
            const place = document.createElement("div");
            place.innerHTML = text;
            document.body.append(place);
            const script = document.createElement("script");
            script.text = [...place.querySelectorAll("script")].at(-1)?.text ?? "";
            document.head.append(script);
        }
    }""", [element(recording) for recording in watched.values()])  # fmt: skip
    for number, recording in enumerate(watched.values()):
        if recording.steps:
            check_step(recording.as_data(), 0, read(host_of(desk.page, number)))


# The ways from step to step.


def at(host):
    return read(host)["slider"]


def test_keys(desk, watched):
    data, host = watched["grad"].as_data(), host_of(desk.page, 1)
    last, press = len(data["steps"]) - 1, desk.page.keyboard.press
    desk.page.evaluate("heard = []; addEventListener('keydown', event => heard.push(event.key))")
    host.get_by_role("slider").focus()
    tops = [k for k, step in enumerate(data["steps"]) if step["parent"] is None]
    for key, place in [("End", last), ("ArrowRight", last), ("ArrowLeft", last - 1), ("Home", 0),
                       ("ArrowLeft", 0), ("Shift+ArrowRight", tops[1]),
                       ("Shift+ArrowRight", tops[2]), ("Shift+ArrowLeft", tops[1])]:  # fmt: skip
        press(key)
        assert at(host) == place
    assert desk.page.evaluate("heard") == ["Shift"] * 3
    press("Tab")
    press("Tab")
    for key, further in [("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)]:
        press(key)
        assert at(host) == tops[1] + further
        assert host.evaluate("host => host.shadowRoot.activeElement.ariaCurrent") == "step"


FOCUSED = """host => {
  const element = host.shadowRoot.activeElement;
  const words = element.closest("label") ?? element;
  return [element.ariaLabel ?? words.textContent, getComputedStyle(element).outlineStyle];
}"""


def test_everything_has_a_name_and_shows_its_focus(desk):
    host, seen = host_of(desk.page, 0), []
    for _ in range(7):
        desk.page.keyboard.press("Tab")
        seen.append(host.evaluate(FOCUSED))
    names = ["Back", "Step into", "Step over", "Play", "step", "visit every step", "J1 sin"]
    assert all(name.startswith(known) for (name, _), known in zip(seen, names, strict=True))
    assert {outline for _, outline in seen} == {"solid"}


def test_by_primitive_and_by_pointer(desk, watched):
    data, host = watched["grad"].as_data(), host_of(desk.page, 1)
    wanted = [k for k, step in enumerate(data["steps"]) if step["primitive"] == "mul"]
    host.get_by_role("combobox").select_option("mul")
    assert at(host) == wanted[0]
    for place in wanted[1:]:
        host.get_by_role("button", name="Step into").click()
        assert at(host) == place
    host.get_by_role("button", name="Back").click()
    assert at(host) == wanted[-2]
    host.get_by_role("combobox").select_option("")
    host.get_by_role("slider").fill("4")
    assert at(host) == 4
    host.locator(".list button").nth(7).click()
    assert at(host) == 7
    assert at(host_of(desk.page, 0)) == 0


def test_it_plays_and_pauses(desk):
    desk.page.clock.install()
    desk.page.reload()
    host = host_of(desk.page, 0)
    status = host.get_by_role("status")
    host.get_by_role("button", name="Play").click()
    desk.page.clock.run_for(2500)
    assert at(host) == 2
    assert status.get_attribute("aria-live") == "off"
    host.get_by_role("button", name="Pause").click()
    desk.page.clock.run_for(5000)
    assert at(host) == 2
    assert status.get_attribute("aria-live") == "polite"
    host.get_by_role("button", name="Play").click()
    desk.page.clock.run_for(60_000)
    assert at(host) == len(recordings()["nested"]) - 1
    host.get_by_role("button", name="Play").click()
    assert at(host) == 0


def test_nothing_global_is_defined(desk):
    names = "Object.getOwnPropertyNames(window)"
    here = set(desk.page.evaluate(names))
    uri = desk.page.url.replace("page.html", "empty.html")
    Path(unquote(urlsplit(uri).path)).write_text("<!doctype html><title>Empty</title>")
    desk.page.goto(uri)
    assert here == set(desk.page.evaluate(names))
