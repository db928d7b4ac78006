"""Kinds of cases: a Case subclass with the code of its steps."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.module_loading import import_string

from audit import keys, sealing
from cases.errors import Invalid
from cases.models import Case
from cases.spelling import folded
from processes.customer.page import Page
from processes.engine.runner import StepCode
from processes.engine.structure import STRUCTURE
from processes.retention import CLOSED, Retention, date_facts, settled
from processes.validity import Validity
from timers.clocks import RESUME, Terms
from timers.spans import Span

_kinds: dict[str, Kind] = {}


@dataclass(frozen=True, slots=True)
class StaffStep:
    """A step without code: it waits for staff to take one of its transitions."""

    role: str
    met: str
    otherwise: str


class Kind:
    """One kind of case. Registered when it is made; its steps register themselves on it."""

    def __init__(
        self,
        model: type[Case],
        *,
        title: Any,
        prefix: str,
        initial: Any,
        main_line: Sequence[tuple[Any, Sequence[Any]]] = (),
        document_titles: dict[str, Any] | None = None,
        rejection_letters: dict[str, str] | None = None,
        messages: dict[str, Callable[[Any], Any]] | None = None,
        answers: Sequence[str] = (),
        withdraw: str = "withdraw",
        ends_with_parent: bool = True,
        form: str = "",
        answer_forms: dict[str, str] | None = None,
        correctable: Sequence[str] | None = None,
        check_facts: Callable[[dict[str, Any]], dict[str, str]] | None = None,
        parent_fact: str = "",
        message_titles: dict[str, Any] | None = None,
        may_come: Sequence[str] = (),
        fact_words: dict[str, Callable[[Any], str | None]] | None = None,
        pages: Sequence[tuple[Any, str, str]] = (),
        reopened_letter: str = "",
        found_by: Sequence[str] | None = (),
        identified_by: Sequence[str] | None = None,
        validity: dict[str, Validity] | None = None,
        targets: dict[Any, int] | None = None,
        page: Page | None = None,
        retention: Mapping[Any, Retention] | None = None,
        personal: Mapping[str, Sequence[str]] | None = None,
        plain: Sequence[str] = (),
    ) -> None:
        """Declare a kind, once, at the top of its steps.py.

        `prefix` begins its references (LN-2026-000123); `initial` is the first step; `main_line`
        are (label, steps) of the way that most cases go, as the rail on their pages shows it.
        `document_titles` name documents for people; `rejection_letters` are, by party, the letter
        with which a rejected paper is asked for again at once. `messages` are what may come from
        outside: name → a function that gives the data as the case keeps it, or raises Invalid.
        `answers` are those of them by which somebody agrees to, refuses or takes up what the case
        put before them: they are taken only while the case waits for them, and never kept for
        something that comes later. `withdraw` is the transition that ends a case early, also when
        its parent ends, unless `ends_with_parent` is false. `form` and `answer_forms` (by message)
        are dotted names of the forms with which people open a case and record a message.
        `correctable` are the facts that
        people may correct (all unless given); `check_facts` finds what does not fit together:
        facts → {name: sentence}. `message_titles` name the messages for people; `may_come` are
        those that nobody waits for, though they may come: pages tell them last. `fact_words` say a
        fact that is kept as codes in words for people: value → words, "" to leave it out, None to
        tell it as it is. `pages` stand in the menu: (title, name of the address, the act that one
        must be allowed). `reopened_letter` tells the customer that a closed case was opened again.
        `found_by` are the facts by which people find a case, beside its title,
        reference, key and documents, the name first; None: by its reference alone.
        `identified_by` are those that tell one person from another; unless given, the fact `email`.
        `targets` are, by step, the calendar days within which most visits
        should end; the pages of teams hold them against the days that visits took.
        `page` is what the customer reads on a page of their own.
        `retention` is how long a closed case is kept, by its outcome or closing step; "" is for
        any other end. Where a kind says nothing, the installation's default counts.
        Texts are sealed with the key of the case, unless they are one of a fact's choices. `plain`
        names facts, and fields of messages, results and outcomes, whose texts are codes and stay
        readable; `personal` are facts that are no texts and are sealed all the same, such as an
        income or a day of birth, each with the other names that it goes by in results and on tasks.
        Both hold wherever something goes by such a name.
        """
        self.model = model
        self.name = model.kind_name
        self.title = title
        self.prefix = prefix
        self.initial = str(initial)
        self.main_line = [(label, [str(s) for s in steps]) for label, steps in main_line]
        self.document_titles = document_titles or {}
        # By the party that was asked: the letter with which a rejected paper is asked for at once.
        self.rejection_letters = rejection_letters or {}
        self.messages = messages or {}
        self.answers = frozenset(answers)
        if strange := self.answers - set(self.messages):
            raise ValueError(f"{self.name}: answers that are no messages: {sorted(strange)}.")
        self.message_titles = message_titles or {}
        self.pages = tuple(pages)
        self.found_by = None if found_by is None else tuple(found_by)
        self.validity = validity or {}
        self.targets = {str(step): days for step, days in (targets or {}).items()}
        self.page = page
        self.retention = settled(retention)
        self.may_come = frozenset(may_come)
        self.fact_words = fact_words or {}
        self.reopened_letter = reopened_letter
        self.withdraw = withdraw
        self.ends_with_parent = ends_with_parent
        self.answer_form_paths = answer_forms or {}
        # The facts that people may correct; what the process found is not theirs to write.
        self.correctable = tuple(
            correctable if correctable is not None else [f.name for f in model.fact_fields()]
        )
        self.check_facts = check_facts or (lambda facts: {})
        # The fact that holds the reference of the case to which one of this kind belongs. Such a
        # parent did not open it, and does not wait for its end.
        self.parent_fact = parent_fact
        self.form_path = form  # "processes.loan.forms.LoanForm": a face, so named and not imported
        self.codes: dict[str, dict[int, StepCode]] = {}
        self.clocks: dict[str, Terms] = {}
        self.staff_steps: dict[str, StaffStep] = {}
        self.fact_names = [f.attname for f in model.fact_fields()]
        if identified_by is None:
            identified_by = ["email"] if "email" in self.fact_names else []
        self.identified_by = tuple(identified_by)
        self.personal_facts = frozenset(personal or {})
        self.personal = self.personal_facts.union(*(personal or {}).values())
        self.plain = frozenset(plain)
        named = {*(self.found_by or ()), *self.identified_by, *self.personal_facts}
        if unknown := named - set(self.fact_names):
            raise ValueError(
                f"{self.name}: found_by, identified_by or personal names what is no fact: "
                f"{', '.join(sorted(unknown))}."
            )
        starts = {rule.since for rule in self.retention.values()} - {CLOSED}
        if unfit := starts - set(date_facts(self)):
            raise ValueError(f"{self.name}: retention begins at what is no date: {unfit}.")
        _kinds[self.name] = self

    @cached_property
    def rules(self) -> sealing.Rules:
        """What is sealed in the events of its cases."""
        choices: dict[str, sealing.Below] = {
            field.attname: frozenset(str(value) for value, _ in field.flatchoices)
            for field in self.model.fact_fields()
            if field.choices
        }
        # What one kind holds personal comes to others in messages and from their sub-cases.
        everywhere = dict.fromkeys(
            [name for kind in _kinds.values() for name in kind.personal], sealing.WHOLE
        )
        own = {
            **everywhere,
            **choices,
            **dict.fromkeys(self.plain, sealing.CODE),
            **dict.fromkeys(self.personal, sealing.WHOLE),
        }
        return sealing.Rules(STRUCTURE, facts=own, anywhere=own)

    def marks(self, facts: Mapping[str, Any]) -> list[bytes]:
        """The marks of the person that a case with these facts is about."""
        values = [folded(str(facts.get(name) or "")) for name in self.identified_by]
        return [keys.mark(value) for value in values if value]

    @property
    def form(self) -> Any:
        """The form with which people open a case by hand; None where they do not."""
        return import_string(self.form_path) if self.form_path else None

    def answer_form(self, name: str) -> Any:
        """The form with which staff record a message that came by post or phone, or None."""
        path = self.answer_form_paths.get(name)
        return import_string(path) if path else None

    def step(self, step: Any, *, version: int = 1) -> Callable[[Callable[..., Any]], Any]:
        """Declare the code of a step. Keep an older version for cases that entered under it."""

        def declare(function: Callable[..., Any]) -> Any:
            versions = self.codes.setdefault(str(step), {})
            versions[version] = _step_code(self.name, str(step), version, function)
            return function

        return declare

    def staff_step(self, step: Any, *, role: str, met: str = "", otherwise: str = "") -> None:
        """Declare a step that has no code: staff of this role take one of its transitions."""
        self.staff_steps[str(step)] = StaffStep(role, met, otherwise)

    def clock(
        self,
        name: str,
        *,
        title: Any,
        limit: Span,
        target: Span | None = None,
        extend_by: Span | None = None,
        extensions: int = 0,
        pause_at_most: Span | None = None,
        after_pause: str = RESUME,
        warn: Sequence[Span] = (),
        calendar: str = "",
        ends_on_working_day: bool = False,
        ours: bool = True,
    ) -> Terms:
        """Declare a business clock of the case: a statutory term, a service level. Step code and
        staff start, pause, resume, extend and stop it. One that is not `ours` is a time that
        others have: it is over, and nobody kept or missed it. Raises ValueError for terms that
        clash."""
        if name in self.clocks:
            raise ValueError(f"The kind {self.name} has a clock “{name}” already.")
        self.clocks[name] = Terms(
            name=name,
            title=title,
            limit=limit,
            target=target,
            extend_by=extend_by,
            extensions=extensions,
            pause_at_most=pause_at_most,
            after_pause=after_pause,
            warn=tuple(warn),
            calendar=calendar,
            ends_on_working_day=ends_on_working_day,
            ours=ours,
        )
        return self.clocks[name]

    def code_of(self, step: str, version: int | None = None) -> StepCode | None:
        """The code of a step; the newest version unless one is asked for."""
        versions = self.codes.get(step)
        if not versions:
            return None
        return versions.get(version if version is not None else max(versions))

    def is_closing(self, step: str) -> bool:
        return step in self.closing_steps

    @property
    def closing_steps(self) -> frozenset[str]:
        return frozenset(str(s) for s in self.model.closing_steps)

    def step_label(self, step: str) -> str:
        """The step's name for people."""
        return str(dict(self.model.Step.choices).get(step, step))  # type: ignore[attr-defined]

    def fact_label(self, name: str) -> str:
        """A fact's name for people."""
        fields = self.model.fact_fields()
        found = next((f for f in fields if name in (f.name, f.attname)), None)
        label = str(found.verbose_name) if found is not None else name
        return label[:1].upper() + label[1:]

    def check_message(self, name: str, data: Any) -> Any:
        """The data of a message as this kind takes it. Raises Invalid naming the fields."""
        if name not in self.messages:
            known = ", ".join(sorted(self.messages)) or "none"
            raise Invalid(
                f"A {self.title} takes no message “{name}”. It takes: {known}.",
                {"name": f"not one of {known}"},
            )
        return self.messages[name](data)


def _step_code(kind: str, step: str, version: int, function: Callable[..., Any]) -> StepCode:
    if not inspect.iscoroutinefunction(function):
        raise TypeError(f"{function.__qualname__}: the code of a step is an async function.")
    lines, first = inspect.getsourcelines(function)
    text = textwrap.dedent("".join(lines)).rstrip() + "\n"
    return StepCode(
        kind=kind,
        step=step,
        version=version,
        function=function,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        text=text,
        file=inspect.getsourcefile(function) or "",
        line=first,
    )


class NoSuchKind(LookupError):
    """This installation has no kind of that name."""


def kinds() -> dict[str, Kind]:
    """All kinds of this installation, by name."""
    return _kinds


def kind_of(name: str) -> Kind:
    """The kind of this name. Raises NoSuchKind, naming the ones there are."""
    try:
        return _kinds[name]
    except KeyError:
        known = ", ".join(sorted(_kinds)) or "none"
        raise NoSuchKind(f"There is no kind “{name}”. This installation has: {known}.") from None
