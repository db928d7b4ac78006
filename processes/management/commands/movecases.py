"""manage.py movecases KIND STEP --to N: move open cases to another version of their step's code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.actors import Actor, service
from cases.errors import Refused
from cases.models import Person
from processes.acts.moving import require_reason, require_version
from processes.kinds import NoSuchKind
from processes.models import CodeResult, CodeRun
from processes.work import coderuns
from timers import clock

GOOD = ("fits", "moved", "already")


class Command(BaseCommand):
    help = (
        "Move the open cases that stand in a step to another version of its code, each if its "
        "history fits that version; the others stay. Without --run it only says which would fit. "
        "Exits with 1 when a case does not fit. Safe to repeat; --undo takes a move back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", nargs="?", default="")
        parser.add_argument("step", nargs="?", default="")
        parser.add_argument("--from", type=int, dest="old", help="only cases of this version")
        parser.add_argument("--to", type=int, dest="new", help="the version they get")
        parser.add_argument("--run", action="store_true", help="move them; else it is a preview")
        parser.add_argument("--undo", type=int, help="take back the move of this number")
        parser.add_argument("--reason", default="", help="kept in the history of each case")
        parser.add_argument("--by", default="", help="username of the person who decides it")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = self.ask(options, actor_named(options["by"]))
        except (Refused, NoSuchKind) as error:
            raise CommandError(str(error), returncode=2) from error
        for one in results_of(run):
            said = f": {one.sentence}" if one.sentence else ""
            self.stdout.write(f"{one.case.reference}  {one.result}{said}")
        run.refresh_from_db()
        counts = run.report.get("results", {})
        told = ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "no case"
        summary = f"{run.what.capitalize()} {run.pk}: {told}. {run.error}".strip()
        if run.error or any(name not in GOOD for name in counts):
            raise CommandError(summary)
        self.stdout.write(summary)

    def ask(self, options: dict[str, Any], actor: Actor) -> CodeRun:
        if options["undo"] is not None:
            require_reason(options["reason"])
            move = CodeRun.objects.filter(pk=options["undo"], what="move").first()
            if move is None:
                raise CommandError(f"There is no move {options['undo']}.", returncode=2)
            return coderuns.ask(
                what="undo",
                actor=actor,
                kind=move.kind,
                step=move.step,
                reason=options["reason"],
                undoes=move,
                by_worker=False,
            )
        if not options["kind"] or not options["step"] or options["new"] is None:
            raise CommandError("Name the kind, the step, and --to VERSION.", returncode=2)
        require_version(kind=options["kind"], step=options["step"], version=options["new"])
        if options["run"]:
            require_reason(options["reason"])
        return coderuns.ask(
            what="move" if options["run"] else "preview",
            actor=actor,
            kind=options["kind"],
            step=options["step"],
            from_version=options["old"],
            to_version=options["new"],
            reason=options["reason"],
            by_worker=False,
        )


def actor_named(username: str) -> Actor:
    """The person of this name, or the command itself."""
    if not username:
        return service("movecases")
    person = Person.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise CommandError(f"There is no person “{username}”.", returncode=2)
    return Actor.of(person)


def results_of(run: CodeRun) -> Iterator[CodeResult]:
    """Work on a run here until it is done, and give its results in order as they come."""
    last, is_done = 0, False
    while not is_done:
        coderuns.work_on(run.pk)
        is_done = CodeRun.objects.filter(pk=run.pk, ended_at__isnull=False).exists()
        for one in run.results.filter(pk__gt=last).select_related("case").order_by("pk"):
            last = one.pk
            yield one
        if not is_done:  # a worker has it at the moment
            clock.sleep(0.5)
