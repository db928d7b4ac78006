"""What a customer's page shows of a case, as it stands. Reads alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from audit.read import events_of
from cases import dates
from cases.models import Case, CustomerPage, Document, Letter, Requirement
from cases.sentences import fact_value
from processes.acts.customer import awaited, is_step
from processes.customer import history
from processes.customer.page import Answer, Page, Told
from processes.kinds import Kind, kind_of
from processes.letters import case_as_its_kind
from timers import clock
from timers.models import Clock

SHOWN = 200  # lines of what happened


@dataclass(frozen=True, slots=True)
class Need:
    """A paper that the customer is asked for."""

    name: str
    title: str
    state: str  # asked, received, accepted, rejected
    words: str
    reason: str = ""

    @property
    def is_open(self) -> bool:
        return self.state in ("asked", "rejected")


@dataclass(frozen=True, slots=True)
class Term:
    """A legal day, in words, with its explanation."""

    title: str
    words: str
    why: str


@dataclass(frozen=True, slots=True)
class Shown:
    """All that the page shows."""

    case: Case
    page: Page
    told: Told
    outcome_on: str
    facts: list[tuple[str, str]]
    own_day: datetime | None
    terms: list[Term]
    needs: list[Need]
    answers: list[Answer]
    can_withdraw: bool
    letters: list[Letter]
    happened: list[history.Line]

    @property
    def open_needs(self) -> list[Need]:
        return [one for one in self.needs if one.is_open]

    @property
    def is_their_turn(self) -> bool:
        return bool(self.open_needs) or any(one.is_urgent for one in self.answers)


def shown(given: CustomerPage) -> Shown:
    """The page as it stands now."""
    case = case_as_its_kind(given.case_id)
    kind = kind_of(case.kind)
    page = kind.page
    assert page is not None  # a page is only given for kinds that have one
    told = page.told(case.step)
    requirements = list(Requirement.objects.filter(case_id=case.pk).order_by("asked_at", "pk"))
    answers = open_answers(case, page)
    needs = _needs(case, page, kind, requirements)
    return Shown(
        case=case,
        page=page,
        told=told,
        outcome_on=dates.day(case.closed_at) if case.closed_at else "",
        facts=_facts(case, kind, told),
        own_day=_own_day(case, page, answers),
        terms=_terms(case, page, kind),
        needs=needs,
        answers=answers,
        can_withdraw=can_withdraw(case, page),
        letters=letters_of(given),
        happened=_happened(given, page, kind, requirements),
    )


def open_answers(case: Case, page: Page) -> list[Answer]:
    """What the customer may tell the case now."""
    if case.closed_at is not None:
        return []
    names = awaited(case.waits)
    return [one for one in page.answers if one.message in names and is_step(one, case.step)]


def can_withdraw(case: Case, page: Page) -> bool:
    return (
        case.closed_at is None
        and page.withdrawal is not None
        and case.step in {str(one) for one in page.withdrawal.steps}
    )


def letters_of(given: CustomerPage) -> list[Letter]:
    """The letters to this party, newest first."""
    found = Letter.objects.filter(case_id=given.case_id, party=given.party).defer("text")
    return list(found.order_by("-written_at", "-pk"))


def _facts(case: Case, kind: Kind, told: Told) -> list[tuple[str, str]]:
    fields = {one.name: one for one in kind.model.fact_fields()}
    found = []
    for name, words in told.facts.items():
        value = getattr(case, name)
        if value not in (None, ""):
            found.append((str(words), fact_value(fields[name], value)))
    return found


def _needs(case: Case, page: Page, kind: Kind, requirements: Sequence[Requirement]) -> list[Need]:
    words = {
        "asked": _("We need this from you"),
        "received": _("We have it, and look at it"),
        "accepted": _("Accepted"),
        "rejected": _("We could not use it: send it again"),
    }
    titles = history.papers_of(page, requirements, kind.document_titles)
    return [
        Need(
            one.name, titles[one.name], one.state, words.get(one.state, words["asked"]), one.reason
        )
        for one in requirements
        if one.name in titles
        and case.closed_at is None
        and (one.is_open or one.state == "rejected")
    ]


def _own_day(case: Case, page: Page, answers: Sequence[Answer]) -> datetime | None:
    """Until when the case waits for the customer: for their papers, or for an answer that it
    needs. Days of colleagues are none of theirs."""
    names = {one.message for one in answers if one.is_urgent}
    found = [
        one["until"]
        for one in case.waits
        if one.get("until")
        and (
            (one["kind"] == "documents" and one["on"] in page.asked_of)
            or (one["kind"] == "message" and one["name"] in names)
        )
    ]
    return min(found, default=None)


def _terms(case: Case, page: Page, kind: Kind) -> list[Term]:
    if case.closed_at is not None or not page.clocks:
        return []
    found = []
    for row in Clock.objects.filter(case_id=case.pk, name__in=page.clocks).order_by("pk"):
        state = row.stood
        if state.is_stopped or state.limit_at is None:
            continue
        day = dates.day(state.limit_at)
        if state.is_paused:
            words = _(
                "The days do not count now. Were they to count from today, at the latest %(day)s."
            )
        elif state.has_passed or state.limit_at < clock.now():
            words = _("It was %(day)s, and has passed.")
        else:
            words = _("It is %(day)s.")
        title = str(kind.clocks[row.name].title) if row.name in kind.clocks else row.name
        found.append(Term(title, words % {"day": day}, str(page.clocks[row.name])))
    return found


def _happened(
    given: CustomerPage, page: Page, kind: Kind, requirements: Sequence[Requirement]
) -> list[history.Line]:
    """Newest first."""
    tellings = history.Tellings(
        page=page,
        actor=history.actor_of(given),
        papers=history.papers_of(page, requirements, kind.document_titles),
    )
    events = events_of(given.case_id, types=list(page.tells))
    return history.lines(events, tellings)[::-1][:SHOWN]


def sent_papers(given: CustomerPage) -> list[Document]:
    """What this customer sent, newest first."""
    mine = Document.objects.filter(case_id=given.case_id, received_from=history.actor_of(given))
    return list(mine.order_by("-received_at", "-pk")[:SHOWN])
