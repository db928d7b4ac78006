"""manage.py opencases FILE: open the cases of a file, as an account of the API would."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.errors import Refused
from cases.models import Client, Job, JobRow
from processes.acts import jobs as acts
from processes.api.jobrows import asked
from processes.callers import Caller
from processes.jobs import files
from processes.kinds import kinds
from processes.work import jobs as work
from timers import clock

SLICE_SECONDS = 2.0
WAIT_SECONDS = 0.5


class Command(BaseCommand):
    help = (
        "Open the cases of a file, CSV or JSON lines, with the rights of an account, and tell what "
        "became of each row. Safe to kill and to run again: the same file is the same job."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--account", required=True, help="the account whose cases they are")
        parser.add_argument("--kind", default="", choices=["", *sorted(kinds())])
        parser.add_argument("--team", default="", help="of the rows that name none")
        parser.add_argument("--format", default="", choices=["", *files.FORMATS])
        parser.add_argument("--encoding", default="", choices=["", *files.ENCODINGS])
        parser.add_argument(
            "--anew", action="store_true", help="a new job, also where this file had one"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        client = Client.objects.select_related("team").filter(name=options["account"]).first()
        if client is None:
            raise CommandError(f"There is no account “{options['account']}”.")
        try:
            content = Path(options["file"]).read_bytes()
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from error
        job = self.job(client, content, options)
        while not work.carry_on(job.pk, seconds=SLICE_SECONDS) or self.is_left_to_others(job):
            self.stdout.write(f"{self.done(job)} of {job.size} rows")
        self.tell(job)

    def job(self, client: Client, content: bytes, options: dict[str, Any]) -> Job:
        digest = hashlib.sha256(content).hexdigest()
        before = Job.objects.filter(client=client, digest=digest, kind=options["kind"])
        known = None if options["anew"] else before.order_by("-pk").first()
        if known is not None:
            self.stdout.write(f"This file is job {known.pk} already; it goes on.")
            return known
        name = Path(options["file"]).name
        try:
            rows = files.rows_of(
                content,
                filename=name,
                form=options["format"],
                encoding=options["encoding"],
                most=acts.MOST_ROWS,
            )
            return acts.accept_job(
                caller=Caller(client, None),
                token=None,
                rows=asked(rows, kind=options["kind"], team=options["team"]),
                filename=name,
                digest=digest,
                kind=options["kind"],
            )
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal

    def is_left_to_others(self, job: Job) -> bool:
        """Whether a worker has it; then its progress is watched here."""
        if not Job.objects.filter(pk=job.pk, ended_at=None).exists():
            return False
        clock.sleep(WAIT_SECONDS)
        return True

    def done(self, job: Job) -> int:
        return JobRow.objects.filter(job=job).exclude(state=JobRow.State.WAITING).count()

    def tell(self, job: Job) -> None:
        found = acts.counts([job])[job.pk]
        for row in JobRow.objects.filter(job=job, state=JobRow.State.REFUSED).order_by("place"):
            self.stderr.write(f"line {row.line}: {row.refusal['detail']}")
        said = ", ".join(f"{n} {state}" for state, n in found.items() if n)
        self.stdout.write(f"Job {job.pk}: {said}.")
        if found[JobRow.State.REFUSED]:
            raise CommandError(f"{found['refused']} rows were refused; the lines above say why.")
