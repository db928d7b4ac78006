"""The pages of the processes in a real browser: nothing for axe, nothing sideways, and the drawing
scrolls within its own box."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from processes.engine.sources import keep
from processes.kinds import kind_of
from tests.browser.test_accessible import check

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_pages_of_the_processes(desk: Any, window: Any) -> None:
    case = desk.open("patience")
    code = kind_of("loan").code_of("underwriting")
    assert code is not None
    keep(code)
    one = window(desk.people.sanne)
    addresses = ["", "loan/", f"trial/?case={case.reference}", "loan/steps/underwriting/"]
    addresses += ["loan/steps/declined/", f"loan/code/{code.digest}/", "loan/tables/papers/1/"]
    found = [wrong for path in addresses for wrong in check(one, f"/processes/{path}")]
    assert found == []


def test_the_drawing_is_seen_and_reached_by_keyboard(desk: Any, window: Any) -> None:
    one = window(desk.people.sanne, viewport={"width": 390, "height": 800})
    one.go("/processes/loan/")
    box = one.page.locator(".drawing-box")
    box.focus()
    assert one.focused() == "drawing-box"
    texts = box.locator("text").all_text_contents()
    assert {"Underwriting", "Being declined", "Paid out"} <= set(texts)
    # Its boxes lead to their steps for a pointer; the keyboard has the list.
    one.page.locator(".drawing a").nth(3).click()
    one.page.wait_for_url("**/processes/loan/steps/underwriting/")


def test_dark_and_light_paint_the_drawing(desk: Any, window: Any) -> None:
    one = window(desk.people.sanne)
    one.go("/processes/loan/")
    fills = []
    for scheme in ("light", "dark"):
        one.page.emulate_media(color_scheme=scheme)
        style = "getComputedStyle(document.querySelector('.drawing .step rect')).fill"
        fills.append(one.page.evaluate(style))
    assert fills[0] != fills[1]


def test_pictures_for_the_eye(desk: Any, window: Any) -> None:
    """Kept only where somebody wants to look: LONGCASE_PICTURES names a folder."""
    folder = os.environ.get("LONGCASE_PICTURES")
    if not folder:
        pytest.skip("LONGCASE_PICTURES names no folder")
    case = desk.open("patience")
    one = window(desk.people.sanne)
    for name, path in {
        "kinds": "",
        "loan": "loan/",
        "case": f"trial/?case={case.reference}",
        "step": "loan/steps/underwriting/",
        "table": "loan/tables/who_judges/",
    }.items():
        one.go(f"/processes/{path}")
        for scheme in ("light", "dark"):
            one.page.emulate_media(color_scheme=scheme)
            for width in (1280, 390):
                one.page.set_viewport_size({"width": width, "height": 900})
                file = Path(folder) / f"{name}-{scheme}-{width}.png"
                one.page.screenshot(path=file, full_page=True)
