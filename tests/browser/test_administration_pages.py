"""The pages of whoever lets programs in: accounts, tokens, webhooks. And menus, when narrow."""

from __future__ import annotations

from typing import Any

import pytest

from cases.actors import Actor
from cases.models import Person
from processes.acts.clients import SCOPES, issue_token, make_client
from processes.acts.webhooks import end_webhook, make_webhook, pause_webhook
from processes.webhooks.models import Webhook
from tests.browser.test_accessible import check, violations

pytestmark = pytest.mark.django_db(transaction=True)

NARROWEST = {"width": 320, "height": 800}
BEYOND = """menu => {
  menu.open = true;
  const box = menu.querySelector("ul").getBoundingClientRect();
  return box.left < 0 || box.right > innerWidth;
}"""


def hooks_of_a_program(boss: Person) -> list[Webhook]:
    """One in use, one paused, one ended."""
    actor = Actor.of(boss)
    client = make_client(name="portal", title="Portal", scopes=["read:*", "open:*"], actor=actor)
    issue_token(client=client, scopes=["read:trial", "read:loan"], actor=actor)
    hooks = [
        make_webhook(client=client, url=f"https://hooks.example/{n}", title="", actor=actor)
        for n in range(3)
    ]
    pause_webhook(webhook_id=hooks[1].pk, actor=actor, why="Nobody answers.")
    end_webhook(webhook_id=hooks[2].pk, actor=actor)
    return hooks


def test_the_pages_of_an_administrator_of_programs(anna: Person, window: Any) -> None:
    one = window(anna)
    found = check(one, "/clients/") + check(one, "/webhooks/")  # empty
    hooks = hooks_of_a_program(anna)
    addresses = ["/clients/", "/clients/portal/", "/webhooks/", "/settings/tokens/"]
    addresses += [f"/webhooks/{hook.pk}/" for hook in hooks]
    assert found + [wrong for address in addresses for wrong in check(one, address)] == []


def test_what_a_scope_is_made_of_is_told_on_demand(anna: Person, window: Any) -> None:
    one = window(anna)
    one.go("/settings/tokens/")
    words = one.page.locator(".field details")
    assert not words.locator("dl").is_visible()
    words.locator("summary").click()
    assert set(SCOPES) < set(words.locator("dt").all_inner_texts())
    assert violations(one.page) == []


def test_a_menu_opens_within_the_narrowest_window(desk: Any, anna: Person, window: Any) -> None:
    case = desk.open("patience")
    hook, *_others = hooks_of_a_program(anna)
    for person, address in (
        (desk.people.sanne, case.get_absolute_url()),
        (anna, f"/webhooks/{hook.pk}/"),
    ):
        one = window(person, viewport=NARROWEST)
        one.go(address)
        menus = one.page.locator(".acts .menu")
        assert menus.count()
        assert [menus.nth(n).evaluate(BEYOND) for n in range(menus.count())] == [False] * (
            menus.count()
        ), address


def test_cells_say_what_they_are_where_columns_have_no_heads(anna: Person, window: Any) -> None:
    hooks_of_a_program(anna)
    one = window(anna, viewport=NARROWEST)
    one.go("/webhooks/")
    told = one.page.evaluate(
        "[...document.querySelectorAll('.list tbody tr:first-child td')].map("
        "cell => getComputedStyle(cell, '::before').content)"
    )
    assert told == ['"Account "', "none", '"Still to send "']
