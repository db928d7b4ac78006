"""manage.py restartstep REF: begin the step of a case again from its checkpoint."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.actors import service
from cases.errors import Refused
from cases.models import Case
from processes.acts.restarting import preview_restart, restart_step
from processes.management.commands.movecases import actor_named


class Command(BaseCommand):
    help = (
        "Begin a case's step again from its checkpoint, on the newest version of its code. What "
        "it waited for is cancelled and what its activities did is undone, unless kept. Without "
        "--run it only says what that would do."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("reference", help="such as LN-2026-000123")
        parser.add_argument("--run", action="store_true", help="do it; else it is a preview")
        parser.add_argument("--keep", type=int, nargs="*", default=[], help="events to keep")
        parser.add_argument("--reason", default="", help="kept in the history of the case")
        parser.add_argument("--by", default="", help="username of the person who decides it")

    def handle(self, *args: Any, **options: Any) -> None:
        case = Case.objects.filter(reference=options["reference"]).first()
        if case is None:
            raise CommandError(f"There is no case {options['reference']}.")
        actor = actor_named(options["by"]) if options["by"] else service("restartstep")
        try:
            if not options["run"]:
                self.preview(case, actor)
                return
            undone = restart_step(
                case_id=case.pk, reason=options["reason"], keep=options["keep"], actor=actor
            )
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal
        names = ", ".join(one.name for one in undone) or "nothing"
        self.stdout.write(f"{case.reference} has begun its step again. Being undone: {names}.")

    def preview(self, case: Case, actor: Any) -> None:
        looked = preview_restart(case=case, actor=actor)
        say = self.stdout.write
        say(f"{case.reference} would begin “{case.step}” again on version {looked.version}.")
        for words in looked.cancelled:
            say(f"cancelled   {words}")
        for name in looked.under_way:
            say(f"undone      {name}, which is under way")
        for one in looked.done:
            fate = "undone    " if one.is_undoable else "done again"
            say(f"{fate}  {one.name}, event {one.number} (or --keep {one.number})")
