"""`manage.py check` reads the graph of a kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.core.checks import CheckMessage
from django.db import models

from cases.fsm import transition
from cases.models import Case, Person
from processes import kinds as registry
from processes.checks import check_roles, graph, roles
from processes.kinds import Kind


class Step(models.TextChoices):
    FIRST = "first"
    SECOND = "second"
    DONE = "done"


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kinds and models of a test are its own."""
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    monkeypatch.setitem(apps.all_models, "trial", dict(apps.all_models["trial"]))
    yield
    apps.clear_cache()


async def code(case: Any) -> Any:
    return case.go()


def kind_of(*, closing: tuple[Any, ...] = (Step.DONE,), **members: Any) -> Kind:
    """A kind with these transitions, whose first step has code."""

    meta = type("Meta", (), {"app_label": "trial"})
    base = {"Step": Step, "kind_name": "sketch", "closing_steps": closing, "Meta": meta}
    model: Any = type("Sketch", (Case,), {"__module__": __name__, **base, **members})
    kind = Kind(model, title="Sketch", prefix="SK", initial=Step.FIRST)
    kind.step(Step.FIRST)(code)
    return kind


def go(**options: Any) -> Any:
    @transition(**{"source": Step.FIRST, "target": Step.SECOND, **options})
    def go(self: Any) -> None: ...

    return go


def end(**options: Any) -> Any:
    @transition(**{"source": Step.SECOND, "target": Step.DONE, **options})
    def end(self: Any) -> None: ...

    return end


def by_staff(**options: Any) -> Any:
    return end(staff=True, role="caseworker", **options)


def found(kind: Kind, ident: str) -> CheckMessage:
    messages = list(graph.check(kind))
    assert [m.id for m in messages] == [f"processes.{ident}"], messages
    assert "test_graph" in messages[0].msg and messages[0].hint
    return messages[0]


def test_a_sound_graph_is_left_alone() -> None:
    kind = kind_of(go=go(), end=by_staff())
    kind.staff_step(Step.SECOND, role="caseworker")
    assert list(graph.check(kind)) == []


def test_a_step_without_code_and_staff_waits_for_nobody() -> None:
    assert "“second”" in found(kind_of(go=go(), end=by_staff()), "E001").msg


def test_a_step_of_staff_that_they_cannot_leave_waits_for_nobody() -> None:
    async def ends(case: Any) -> Any:
        return case.end()

    kind = kind_of(go=go(), end=end(source=(Step.FIRST, Step.SECOND)))
    kind.step(Step.FIRST, version=2)(ends)
    kind.staff_step(Step.SECOND, role="caseworker")
    assert "no transition out of it may be taken by staff" in found(kind, "E001").msg


def test_a_step_that_nothing_leads_to_is_unreachable() -> None:
    kind = kind_of(go=go(target=Step.DONE), end=by_staff())
    kind.staff_step(Step.SECOND, role="caseworker")
    assert "“second”" in found(kind, "E004").msg


def test_an_end_that_cannot_be_reached_is_named() -> None:
    kind = kind_of(go=go(), end=by_staff(target=Step.FIRST))
    kind.staff_step(Step.SECOND, role="caseworker")
    idents = [m.id for m in graph.check(kind)]
    assert idents == ["processes.E006", "processes.E006", "processes.E004"]


def test_a_step_without_a_way_out_is_named() -> None:
    kind = kind_of(go=go(), end=by_staff(source=Step.FIRST))
    kind.step(Step.SECOND)(code)
    assert [m.id for m in graph.check(kind)] == ["processes.E002", "processes.E006"]


def test_a_kind_without_an_end_is_named() -> None:
    kind = kind_of(closing=(), go=go(), end=by_staff(source=Step.SECOND, target=Step.DONE))
    kind.staff_step(Step.SECOND, role="caseworker")
    kind.step(Step.DONE)(code)
    assert "processes.E007" in [m.id for m in graph.check(kind)]


def test_a_step_that_does_not_exist_is_named() -> None:
    kind = kind_of(go=go(), end=by_staff())
    kind.staff_step(Step.SECOND, role="caseworker")
    kind.staff_step("secnd", role="caseworker")
    assert "“secnd”" in found(kind, "E005").msg


def test_a_transition_without_permission_is_named() -> None:
    kind = kind_of(go=go(), end=end(staff=True))
    kind.staff_step(Step.SECOND, role="caseworker")
    assert "“end”" in found(kind, "W002").msg


def test_a_transition_that_nobody_takes_is_named() -> None:
    kind = kind_of(go=go(), end=by_staff(), leap=leap)
    kind.staff_step(Step.SECOND, role="caseworker")
    assert "“leap”" in found(kind, "W003").msg


@transition(source=Step.FIRST, target=Step.DONE)
def leap(self: Any) -> None: ...


def test_a_transition_that_asks_for_what_it_does_not_take_is_named() -> None:
    kind = kind_of(go=go(), end=by_staff(asks=["reason"]))
    kind.staff_step(Step.SECOND, role="caseworker")
    assert "def end(self, *, reason: str)" in str(found(kind, "E009").hint)


def test_a_transition_that_lost_its_decorator_is_named() -> None:
    kind = kind_of(go=go(), end=by_staff())
    meta = type("Meta", (), {"app_label": "trial"})
    members = {"__module__": __name__, "Meta": meta, "go": lambda self: None}
    kind.model = type("Careless", (kind.model,), members)  # type: ignore[arg-type]
    kind.staff_step(Step.SECOND, role="caseworker")
    assert "processes.E003" in [m.id for m in graph.check(kind)]


# -- roles


def decider(amount: int) -> str:
    return "director" if amount > 5 else "clerk"


@pytest.mark.django_db
def test_a_role_that_nobody_has_is_named() -> None:
    # Given people of two roles
    for role in ("caseworker", "clerk"):
        somebody = Person.objects.create_user(role)
        somebody.groups.add(Group.objects.get_or_create(name=role)[0])

    # When a kind asks for those and for two more, one through a rule
    async def asks(case: Any) -> Any:
        from processes.engine.words import ask_review

        await ask_review("a", role=decider(case.amount))
        await ask_review("b", role="claerk")
        return case.go()

    kind = kind_of(go=go(), end=by_staff())
    kind.staff_step(Step.SECOND, role="caseworker")
    kind.step(Step.FIRST)(asks)

    # Then those two are named with their lines
    messages = list(roles.check(kind))
    assert [m.id for m in messages] == ["processes.W005"] * 2
    said = " ".join(m.msg for m in messages)
    assert "“director”" in said and "“claerk”" in said and "test_graph.py, line " in said
    assert "caseworker, clerk" in str(messages[0].hint)

    # And one who has left does not count
    Person.objects.filter(username="clerk").update(is_active=False)
    assert "“clerk”" in " ".join(m.msg for m in roles.check(kind))
    assert check_roles(None, databases=None) == []


def test_an_installation_without_people_is_not_told(db: None) -> None:
    kind = kind_of(go=go(), end=by_staff())
    assert list(roles.check(kind)) == []
