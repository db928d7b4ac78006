"""Every screen, rich and empty, light and dark, wide and narrow: axe finds nothing, and nothing
scrolls sideways. In the short suite axe meets every other screen dark and narrow."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from django.db import connection

from tests.fixtures.desk import PASSWORD
from tests.sizes import sized
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
NARROWEST = 320
LOOKS = ((1280, "light"), (390, "dark"), (NARROWEST, "dark"))


def violations(page: Any) -> list[str]:
    from axe_playwright_python.base import AXE_SCRIPT

    page.evaluate(f"if (!window.axe) {{ {AXE_SCRIPT} }}")  # once a document
    # What passes is not told: to tell it takes axe twice as long as to find it.
    found = page.evaluate(
        "options => axe.run(options).then(results => results.violations)",
        {"runOnly": RULES, "resultTypes": ["violations"]},
    )
    return [f"{one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"]]


_turn = itertools.cycle(LOOKS[:2])


def check(one: Any, address: str) -> list[str]:
    """All that is wrong with this page: whether it fits at each width, and what axe says of it,
    light and wide or dark and narrow, in turn."""
    wrong = []
    one.go(address)
    for_axe = sized(short=[next(_turn)], long=LOOKS[:2])
    for width, scheme in LOOKS:
        one.page.emulate_media(color_scheme=scheme)
        one.page.set_viewport_size({"width": width, "height": 800})
        over = one.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            wrong.append(f"{address} is {over} px too wide at {width}")
        if (width, scheme) in for_axe:
            wrong += [f"{address} {scheme} {width} {found}" for found in violations(one.page)]
    return wrong


def test_the_pages_of_a_caseworker(desk: Any, window: Any, settings: Any) -> None:
    settings.LONGCASE_DEMO = True
    case = desk.open("patience", title="Hartog Bakery and Sons, Confectioners B.V.")
    document = desk.send_document(case, "passport")
    desk.engine.advance(days=8)
    here = case.get_absolute_url()
    done = desk.open("local", title="Done at once")
    addresses = ["/work/", "/work/?show=queue", "/cases/", "/cases/?find=nothing", "/settings/"]
    addresses += ["/messages/", "/work/next/", "/nowhere/", done.get_absolute_url(), here]
    addresses += [here + tab for tab in ("documents/", "reviews/", "notes/", "steps/")]
    addresses += [f"{here}history/?show=all", f"{here}facts/", f"{here}caseworker/"]
    addresses += [f"{here}documents/new/", f"{here}documents/ask/", f"{here}move/withdraw/"]
    addresses += [document.get_absolute_url()]
    one = window(desk.people.sanne)
    assert [wrong for address in addresses for wrong in check(one, address)] == []


def test_the_pages_of_a_reviewer(desk: Any, window: Any) -> None:
    case = desk.open("review")
    task = desk.task_of(case)
    one = window(desk.people.milan)
    address = task.get_absolute_url()
    found = check(one, "/work/?show=reviews") + check(one, address)
    desk.claim(case, desk.people.milan)
    found += check(one, address) + check(one, f"{address}hand-over/")
    one.go(address)
    one.page.click("text=Record the outcome")  # nothing chosen: the browser asks, nothing is sent
    assert found == []


def test_the_pages_of_an_operator(desk: Any, window: Any) -> None:
    case = desk.stop()
    desk.stop("Another farm")
    one = window(desk.people.otto)
    number = case.incidents.get().pk
    addresses = ["incidents/", f"incidents/{number}/", f"incidents/{number}/all-again/", "running/"]
    found = [wrong for path in addresses for wrong in check(one, f"/operations/{path}")]
    assert found + check(one, case.get_absolute_url()) == []


def test_the_pages_about_code_and_cases(desk: Any, window: Any, monkeypatch: Any) -> None:
    from cases.actors import Actor
    from processes.work import coderuns
    from tests.trial import steps

    waiting, stopped = desk.open("saga"), desk.stop()
    one = window(desk.people.otto)
    found = check(one, "/operations/code/")
    monkeypatch.setitem(steps.trial.codes, "trying", dict(steps.trial.codes["trying"]))
    steps.trial.step("trying", version=2)(steps.trying_later)
    asked = {"kind": "trial", "step": "trying", "to_version": 2}
    actor = Actor.of(desk.people.otto)
    runs = [
        coderuns.ask(what="check", actor=actor),
        coderuns.ask(what="preview", actor=actor, from_version=1, **asked),
        coderuns.ask(what="move", actor=actor, reason="A new rule.", from_version=1, **asked),
    ]
    found += check(one, f"/operations/code/runs/{runs[0].pk}/")
    for run in runs:
        assert coderuns.work_on(run.pk)
    paths = ["", "move/", f"restart/{waiting.reference}/", f"restart/{stopped.reference}/"]
    paths += [f"runs/{run.pk}/" for run in runs]
    assert (
        found + [wrong for path in paths for wrong in check(one, f"/operations/code/{path}")] == []
    )


def test_the_pages_about_checks_of_history(desk: Any, window: Any, settings: Any) -> None:
    from cases.actors import Actor
    from processes.proof import anchoring, outlets, runs

    case, wrong = desk.open("review"), desk.open("review")
    one = window(desk.people.ada)
    found = check(one, "/checks/")
    settings.LONGCASE_ANCHOR_KEYS = ["7" * 64]
    settings.LONGCASE_ANCHOR_URLS = ["http://127.0.0.1:9/no-such-address"]
    anchoring.make()
    outlets.send_next()
    actor = Actor.of(desk.people.ada)
    clean = runs.ask(how="all", actor=actor, by_worker=False)
    runs.work_on(clean.pk)

    def falsify(change: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = 'replica'")
            cursor.execute(
                f"UPDATE audit_event SET actor = {change} WHERE case_id = %s", [wrong.pk]
            )
            cursor.execute("SET session_replication_role = 'origin'")

    falsify("'x' || actor")
    spoiled = runs.ask(how="all", actor=actor, by_worker=False)
    runs.work_on(spoiled.pk)
    paths = ["", "anchors/1/", f"runs/{clean.pk}/", f"runs/{spoiled.pk}/"]
    paths += [f"cases/{case.reference}/", f"cases/{wrong.reference}/"]
    found += [bad for path in paths for bad in check(one, f"/checks/{path}")]
    falsify("substr(actor, 2)")  # put back: each history is looked at after a test
    assert found == []


def test_signing_in(people: Any, window: Any) -> None:
    one = window()
    assert check(one, "/login/") == []
    one.page.fill("#id_username", "sanne")
    one.page.fill("#id_password", "wrong")
    one.page.click("button.main")
    one.page.wait_for_selector("#errors")
    assert violations(one.page) == []
    assert one.page.title().startswith("Error:")
    assert one.focused() == "errors"
    one.page.fill("#id_password", PASSWORD)
    one.page.click("button.main")
    one.page.wait_for_selector("header.top")
    assert [cookie["name"] for cookie in one.context.cookies()].count("sessionid") == 1


def test_what_is_wrong_with_a_page_is_found(people: Any, window: Any) -> None:
    one = window()
    one.go("/login/")
    assert violations(one.page) == []
    one.page.evaluate("document.querySelector('label[for=id_username]').remove()")
    one.page.evaluate("document.querySelector('h1').style.color = '#ccc'")
    found = {line.partition(":")[0] for line in violations(one.page)}
    assert found == {"label", "color-contrast"}


def test_wider_spacing_of_text_loses_nothing(desk: Any, window: Any) -> None:
    case = desk.open("patience")
    one = window(desk.people.sanne, viewport={"width": 320, "height": 800}, bypass_csp=True)
    one.go(case.get_absolute_url())
    one.page.add_style_tag(
        content="*{line-height:1.5!important;letter-spacing:.12em!important;"
        "word-spacing:.16em!important} p{margin-bottom:2em!important}"
    )
    assert one.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_what_is_current_survives_forced_colours(desk: Any, window: Any) -> None:
    one = window(desk.people.sanne, forced_colors="active")
    one.go("/work/")
    widths = one.page.evaluate(
        "[...document.querySelectorAll('.pills a')].map(e => getComputedStyle(e).borderTopWidth)"
    )
    assert widths[0] != widths[1]


def test_the_installations_time_is_told_not_the_browsers(desk: Any, window: Any) -> None:
    one = window(desk.people.sanne, timezone_id="Pacific/Auckland")
    case = desk.open("patience")
    one.go(case.get_absolute_url())
    assert clock.now().strftime("%H") == "09"
    assert one.page.locator(".timeline time").first.inner_text().endswith("10:00")
