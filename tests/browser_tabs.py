"""Chromium, which finds no host but this machine, and a page of it that keeps what went wrong.

CHROMIUM names the browser where it is not found.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import Browser, sync_playwright

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1400, "height": 1000}
IN_THE_PAGE = Path(__file__).parent / "site" / "in_the_page.js"


@contextmanager
def chromium() -> Iterator[Browser]:
    names = [os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    program = next((found for name in names if name and (found := shutil.which(name))), None)
    assert program, "no Chromium is here; CHROMIUM can name one"
    off = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", off])
        yield browser
        browser.close()


class Tab:
    """A page of the browser that keeps what went wrong in it."""

    def __init__(self, browser, address, viewport, theme="light", **options):
        self.address, self.troubles = address, []
        self.context = browser.new_context(viewport=viewport, color_scheme=theme, **options)
        self.context.add_init_script(path=IN_THE_PAGE)
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.troubles.append(f"an error: {error}"))
        self.page.on("request", self.check_address)
        self.page.on("requestfailed", self.check_failure)
        self.page.on("response", self.check_response)

    def hear(self, message):
        if message.type in ("error", "warning"):
            self.troubles.append(f"the console says: {message.text}")

    def check_address(self, request):
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.troubles.append(f"asks for {request.url}, which the site does not hold")

    def check_failure(self, request):
        if request.failure != "net::ERR_ABORTED":  # which says that the page was left before
            self.troubles.append(f"{request.failure} from {request.url}")

    def check_response(self, response):
        if response.status >= 400:
            self.troubles.append(f"{response.status} from {response.url}")

    def open(self, path):
        """Opens a page of the site, and waits until its formulas and diagrams are drawn."""
        answer = self.page.goto(urljoin(self.address, path))
        assert answer.ok, f"{path}: {answer.status}"
        self.wait()

    def wait(self):
        self.page.wait_for_selector("html.drawn")

    def ask(self, question):
        return self.page.evaluate(f"lookAt.{question}")
