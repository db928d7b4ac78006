"""Every page that a link leads to × rich, empty and rough data × the widths and schemes.

The pages are found, not listed, so a new one is looked at from its first day.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from cases.models import Person
from tests.browser.rough import make_rough
from tests.browser.screens import Screen, screens_of
from tests.browser.test_accessible import violations
from tests.fixtures.desk import PASSWORD

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.long]

LOOKS = Path(__file__).with_name("looks.js").read_text()
TABBED = 40  # presses of Tab on each page
STAFF = ("sanne", "petra", "milan", "otto", "ada", "anna", "ruth")  # of the tests' own desk


class Viewer:
    """Looks at screens in one window a person."""

    def __init__(self, window: Any) -> None:
        self.open_window = window
        self.windows: dict[str, Any] = {}

    def window_of(self, person: Person) -> Any:
        if person.username not in self.windows:
            person.set_password(PASSWORD)
            person.save()
            self.windows[person.username] = self.open_window(person)
        return self.windows[person.username]

    def wrong_on(self, screen: Screen) -> list[str]:
        assert screen.person is not None
        one = self.window_of(screen.person)
        page = one.page
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="light", forced_colors="none")
        answer = one.go(screen.address)
        found = [] if answer.status == 200 else [f"answers {answer.status}"]
        page.evaluate(LOOKS)
        found += page.evaluate("looks.structure()")
        for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (320, "dark")):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            told = page.evaluate("[...looks.fits(), ...looks.apart()]")
            if (width, scheme) != (1280, "light"):
                told += violations(page) if width != 390 else []
            found += [f"at {width}, {scheme}, {one}" for one in told]
        found += [f"in forced colours, {one}" for one in self._forced(page)]
        page.set_viewport_size({"width": 1280, "height": 800})
        found += [f"by keyboard, {one}" for one in self._tabbed(page)]
        page.evaluate("looks.spaced()")
        for width in (1280, 320):
            page.set_viewport_size({"width": width, "height": 800})
            found += [f"spaced, at {width}, {one}" for one in page.evaluate("looks.fits()")]
        return [f"{screen} {one}" for one in dict.fromkeys(found)]

    @staticmethod
    def _forced(page: Any) -> list[str]:
        page.emulate_media(forced_colors="active")
        try:
            return list(page.evaluate("looks.forced()"))
        finally:
            page.emulate_media(forced_colors="none")

    @staticmethod
    def _tabbed(page: Any) -> list[str]:
        found: list[str] = []
        for _press in range(TABBED):
            page.keyboard.press("Tab")
            told = page.evaluate("looks.focus()")
            if told == ["end"]:
                break
            found += told
        return found


def look_at(window: Any, screens: Iterable[Screen]) -> None:
    viewer = Viewer(window)
    wanted = os.environ.get("LONGCASE_SCREENS", "")  # a part of the names of those to look at
    screens = [one for one in screens if re.search(wanted, one.name)]
    found = [wrong for screen in screens for wrong in viewer.wrong_on(screen)]
    assert not found, "\n".join(["", *found])


def test_a_full_installation(demo: None, window: Any) -> None:
    people = Person.objects.filter(is_active=True).order_by("pk")
    screens = screens_of(people)
    assert len(screens) > 80
    look_at(window, screens.values())


def test_an_empty_installation(people: Any, anna: Person, ruth: Person, window: Any) -> None:
    screens = screens_of(Person.objects.filter(username__in=STAFF))
    look_at(window, screens.values())


def test_a_rough_installation(
    desk: Any, anna: Person, ruth: Person, window: Any, settings: Any
) -> None:
    make_rough(desk, settings, anna)
    screens = screens_of(Person.objects.filter(username__in=STAFF))
    look_at(window, screens.values())
