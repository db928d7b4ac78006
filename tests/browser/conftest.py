"""A real browser on the real pages. Debian's chromium, started without its background services.

Skipped, and says so, where there is no browser: `apt-get install chromium`, or name one in
LONGCASE_CHROMIUM.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from cases.models import Person
from tests.browser.chromium import FLAGS

WIDE = {"width": 1280, "height": 800}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    path = os.environ.get("LONGCASE_CHROMIUM") or shutil.which("chromium")
    if not path:
        pytest.skip("there is no chromium here: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Window:
    """One window of one person. Complaints of the browser are kept: a test ends without any."""

    def __init__(self, context: Any, address: str) -> None:
        self.context = context
        self.address = address
        self.page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _heard(self, message: Any) -> None:
        # A page that answers 4xx is a page; the browser notes it all the same.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def go(self, path: str) -> Any:
        return self.page.goto(self.address + path)

    def sign_in(self, person: Person) -> Window:
        """Give this window a session. That the form gives one is shown by `test_signing_in`."""
        client = Client()
        client.force_login(person)
        name = settings.SESSION_COOKIE_NAME
        cookie = {"name": name, "value": client.cookies[name].value, "url": self.address}
        self.context.add_cookies([cookie])
        return self

    def focused(self) -> str:
        """What has the focus, by its id, its class or its name."""
        return str(
            self.page.evaluate(
                "(() => { const e = document.activeElement;"
                " return e.id || e.className || e.tagName; })()"
            )
        )


@pytest.fixture
def window(chromium: Any, live_server: Any) -> Iterator[Callable[..., Window]]:
    opened: list[Window] = []

    def open_window(person: Person | None = None, **options: Any) -> Window:
        context = chromium.new_context(**{"viewport": WIDE, **options})
        context.set_default_timeout(30_000)  # for a loaded machine; nothing waits for its end
        one = Window(context, live_server.url)
        opened.append(one)
        return one.sign_in(person) if person else one

    yield open_window
    for one in opened:
        one.context.close()
    assert [found for one in opened for found in one.complaints] == []
