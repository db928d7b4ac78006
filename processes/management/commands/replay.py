"""manage.py replay REF --at N: a case as it stood."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.models import Case
from cases.readlog import shown_by_command
from processes.engine.folding import Stood
from processes.engine.replay import NoSuchEvent, as_it_stood
from processes.kinds import kind_of
from timers.clocks import ClockState


class Command(BaseCommand):
    help = (
        "Show a case as it stood after one of its events: step, facts, waits, tasks, documents, "
        "the line at which its code paused, and its local variables. Changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("reference", help="such as LN-2026-000123")
        parser.add_argument("--at", type=int, help="number of the event; the last one unless given")

    def handle(self, *args: Any, **options: Any) -> None:
        case = Case.objects.filter(reference=options["reference"]).first()
        if case is None:
            raise CommandError(f"There is no case {options['reference']}.")
        try:
            stood = as_it_stood(case, options["at"])
        except NoSuchEvent as error:
            raise CommandError(str(error)) from error
        shown_by_command(
            "replay", case_id=case.pk, number=case.head_number, item=f"event:{stood.number}"
        )
        self.show(case, stood)

    def show(self, case: Case, stood: Stood) -> None:
        say = self.stdout.write
        say(f"{stood.reference} as it stood after event {stood.number}, {_moment(stood.at)}")
        say(f"step       {kind_of(case.kind).step_label(stood.step)} (visit {stood.visit})")
        for title, lines in (
            ("facts", [f"{name}: {value}" for name, value in stood.facts.items()]),
            ("documents", [f"{name}: {state}" for name, state in stood.documents.items()]),
            ("clocks", [_clock(state) for state in stood.clocks.values()]),
            ("waits", [_wait(wait) for wait in stood.waits]),
            (
                "tasks",
                [f"{t['title']} ({t['role']}): {t['outcome'] or t['state']}" for t in stood.tasks],
            ),
        ):
            for place, line in enumerate(lines):
                say(f"{title if not place else '':<10} {line}")
        if stood.code_changed:
            say(
                "code       was changed since: today's lines are shown, the kept text is "
                f"{stood.code_digest[:12]}…"
            )
        for pause in stood.pauses:
            say(f"paused at  {pause.file}, line {pause.line}: {pause.text}")
            for name, value in pause.values.items():
                say(f"           {name} = {value}")
        if stood.note:
            say(f"note       {stood.note}")


def _moment(at: datetime) -> str:
    return f"{at:%d %b %Y %H:%M:%S} UTC"


def _clock(state: ClockState) -> str:
    limit = _moment(state.limit_at) if state.limit_at else "open"
    return f"{state.name}: {state.word}, limit {limit}"


def _wait(wait: dict[str, Any]) -> str:
    until = f" until {_moment(wait['until'])}" if wait["until"] else ""
    what = f"{wait['kind']} {wait['name']}".strip()
    return f"for {wait['on']} ({what}) since {_moment(wait['since'])}{until}"
