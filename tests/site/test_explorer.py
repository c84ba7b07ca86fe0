"""Chromium chooses programs in the explorer, on the site and live: `make test-site`."""

import threading
from pathlib import Path

import pytest

from browser_tabs import DESK, PHONE, Tab
from minijax.explore.programs import programs
from minijax.explore.server import Server

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "build" / "book" / "explore.html"


def field(page, name):
    return page.locator(f"[name={name}]")


def chosen(page, program, transformation):
    field(page, "program").select_option(program)
    field(page, "transformation").select_option(transformation)
    return page.frame_locator("iframe")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_two_lists_choose_what_is_shown(browser, viewport, theme):
    tab = Tab(browser, PAGE.parent.as_uri(), viewport, theme)
    tab.page.goto(PAGE.as_uri())
    for row in list(programs.values())[::9]:
        for transformation in row.transformations[:2]:
            frame = chosen(tab.page, row.name, transformation)
            frame.locator(".minijax-watch").wait_for()
            assert f"/{row.name}-" in tab.page.locator("iframe").get_attribute("src")
            expression = field(tab.page, "expression").input_value()
            assert expression == row.expression(transformation)
            assert field(tab.page, "text").input_value() == row.text
            assert frame.get_by_role("heading", name="Compiled").count() == 1
            scheme = frame.locator("html").evaluate("x => getComputedStyle(x).colorScheme")
            assert scheme == theme
    tall = tab.page.locator("iframe").evaluate("frame => frame.offsetHeight")
    assert tall > 400 and not tab.ask("sideways()")
    tab.page.reload()
    assert field(tab.page, "program").input_value() == row.name
    tab.context.close()
    assert not tab.troubles


def test_what_is_written_is_run_live(browser):
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            tab = Tab(browser, server.address.partition("?")[0], DESK)
            tab.page.set_default_timeout(60_000)
            tab.page.goto(server.address)
            frame = tab.page.frame_locator("iframe")
            frame.locator(".minijax-watch").wait_for()
            field(tab.page, "text").fill("def f(x): return jnp.cos(x) +")
            said = tab.page.get_by_role("status")
            said.filter(has_text="SyntaxError (line 1)").wait_for()
            frame.get_by_role("heading", name="It failed").wait_for()
            field(tab.page, "text").fill("def f(x): return jnp.cos(x)")
            frame.get_by_text("cos", exact=True).first.wait_for()
            assert said.text_content() == ""
            field(tab.page, "text").fill("while True: pass")
            said.filter(has_text="Running").wait_for()
            field(tab.page, "text").fill("def f(x): return jnp.tan(x)")
            frame.get_by_text("tan", exact=True).first.wait_for()
            assert said.text_content() == ""
            tab.context.close()
            assert not tab.troubles
        finally:
            server.shutdown()
            thread.join()
