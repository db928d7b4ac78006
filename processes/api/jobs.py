"""Jobs: many cases opened from one file."""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from cases.models import Job, JobRow, Token
from processes.acts import jobs as acts
from processes.api import shapes
from processes.api.base import Api
from processes.api.documents import Files
from processes.api.jobrows import asked
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import Strict, TooLarge, body_of, query_of
from processes.api.problems import BASE, PROBLEMS, nearest
from processes.api.schema import listed
from processes.api.tasks import Nothing
from processes.jobs import files
from processes.plain import plain
from processes.work import jobs as work

STATES = ("waiting", "running", "done", "cancelled")


class JobQuery(PageQuery):
    state = s.ChoiceField(["under_way", "over", "all"], required=False, default="all")
    order = s.ChoiceField(["made", "-made"], required=False, default="-made")


class NewJob(Strict):
    file = s.FileField(
        max_length=1000,
        help_text="CSV with a first line of names, or one JSON object a line; 10,000 rows at most.",
    )
    kind = s.CharField(required=False, max_length=40, help_text="Of the rows that name none.")
    team = s.CharField(required=False, max_length=120, help_text="Of the rows that name none.")
    format = s.ChoiceField(files.FORMATS, required=False, help_text="Else told by the file's name.")
    encoding = s.ChoiceField(
        files.ENCODINGS, required=False, help_text="UTF-8, or as its first bytes say, unless given."
    )


class JobRows(s.Serializer):
    """How many rows of a job are in each state."""

    waiting = s.IntegerField()
    opened = s.IntegerField()
    known = s.IntegerField(help_text="Their external reference had opened a case before.")
    refused = s.IntegerField()
    cancelled = s.IntegerField()


class JobShape(s.Serializer):
    """A file of cases that workers open, and how far they are."""

    id = s.IntegerField()
    state = s.ChoiceField(STATES)
    kind = s.CharField(allow_blank=True)
    filename = s.CharField()
    size = s.IntegerField(help_text="Rows.")
    rows = JobRows()
    made_at = s.DateTimeField()
    begun_at = s.DateTimeField(allow_null=True)
    ended_at = s.DateTimeField(allow_null=True)


class RowQuery(PageQuery):
    state = s.ChoiceField(JobRow.State.values, required=False)
    order = s.ChoiceField(["place", "-place"], required=False, default="place")


class RowResultShape(s.Serializer):
    """What became of one row of the file."""

    row = s.IntegerField(help_text="From 1, without the names and what is empty.")
    line = s.IntegerField(help_text="Of the file, where the row begins.")
    state = s.ChoiceField(JobRow.State.values)
    external_reference = s.CharField(allow_blank=True)
    case = s.CharField(allow_null=True, help_text="Its reference, where you may see it.")
    problem = shapes.ProblemShape(allow_null=True)


class Jobs(Api):
    acts: ClassVar = {"GET": "open", "POST": "open"}
    parser_classes = (Files,)

    @extend_schema(
        operation_id="list_jobs",
        tags=["jobs"],
        parameters=[JobQuery],
        responses={200: listed(JobShape)},
    )
    def get(self, request: Request) -> Response:
        """Your jobs, the newest first; administrators and operators see all."""
        query = query_of(request, JobQuery)
        rows = acts.jobs_of(self.caller.who)
        if query["state"] != "all":
            rows = rows.filter(ended_at__isnull=query["state"] == "under_way")
        found = page(request, rows, query["order"], {"made": Order("")})
        counts = acts.counts(found.rows)
        return Response(found.told([told(one, counts[one.pk]) for one in found.rows]))

    @extend_schema(
        operation_id="open_cases",
        tags=["jobs"],
        request={"multipart/form-data": NewJob},
        responses={202: JobShape},
    )
    def post(self, request: Request) -> Response:
        """Open the cases of a file. A file that cannot be read is refused whole; after that each
        row stands alone, and is opened as a call would open it."""
        return self.once(self._accept)

    def _accept(self) -> Response:
        body = body_of(self.request, NewJob)
        file = body["file"]
        if file.size > settings.LONGCASE_JOB_BYTES:
            raise TooLarge(
                _("A file of cases has at most %(most)s bytes. Send the rest as another.")
                % {"most": settings.LONGCASE_JOB_BYTES}
            )
        content = file.read()
        kind = body.get("kind", "")
        self.caller.require_scope("open", kind)
        rows = files.rows_of(
            content,
            filename=file.name,
            form=body.get("format", ""),
            encoding=body.get("encoding", ""),
            most=acts.MOST_ROWS,
        )
        token = self.request.auth
        job = acts.accept_job(
            caller=self.caller,
            token=token if isinstance(token, Token) else None,
            rows=asked(rows, kind=kind, team=body.get("team", "")),
            filename=file.name,
            digest=hashlib.sha256(content).hexdigest(),
            kind=kind,
        )
        transaction.on_commit(lambda: work.publish(job.pk))
        location = {"Location": f"/api/v1/jobs/{job.pk}"}
        return Response(told(job), status=202, headers=location)


class OneJob(Api):
    acts: ClassVar = {"GET": "open"}

    @extend_schema(operation_id="read_job", tags=["jobs"], responses={200: JobShape})
    def get(self, request: Request, pk: int) -> Response:
        """How far a job is."""
        return Response(told(job_for(self, pk)))


class RowsOfJob(Api):
    acts: ClassVar = {"GET": "open"}

    @extend_schema(
        operation_id="list_job_rows",
        tags=["jobs"],
        parameters=[RowQuery],
        responses={200: listed(RowResultShape)},
    )
    def get(self, request: Request, pk: int) -> Response:
        """What became of each row: the case, or the problem with its fields."""
        query = query_of(request, RowQuery)
        rows = JobRow.objects.filter(job=job_for(self, pk))
        if "state" in query:
            rows = rows.filter(state=query["state"])
        found = page(request, rows, query["order"], {"place": Order("")})
        ids = [one.case_id for one in found.rows if one.case_id]
        seen = self.caller.cases("read", "open").filter(pk__in=ids)
        references = dict(seen.values_list("pk", "reference"))
        return Response(found.told([row_told(one, references) for one in found.rows]))


class CancelJob(Api):
    acts: ClassVar = {"POST": "open"}

    @extend_schema(
        operation_id="cancel_job", tags=["jobs"], request=Nothing, responses={200: JobShape}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Leave out the rows that wait. What was opened stays."""

        def act() -> Response:
            body_of(request, Nothing)
            job = job_for(self, pk)
            return Response(told(acts.cancel_job(job_id=job.pk, actor=self.caller.actor)))

        return self.once(act)


def job_for(view: Api, pk: int) -> Job:
    found = acts.jobs_of(view.caller.who).filter(pk=min(pk, 2**63 - 1)).first()
    if found is None:
        raise NotFound(_("There is no such job among yours."))
    return found


def told(job: Job, counts: dict[str, int] | None = None) -> dict[str, Any]:
    return {
        "id": job.pk,
        "state": job.state,
        "kind": job.kind,
        "filename": job.filename,
        "size": job.size,
        "rows": counts or acts.counts([job])[job.pk],
        "made_at": plain(job.made_at),
        "begun_at": plain(job.begun_at),
        "ended_at": plain(job.ended_at),
    }


def row_told(row: JobRow, references: dict[int, str]) -> dict[str, Any]:
    return {
        "row": row.place,
        "line": row.line,
        "state": row.state,
        "external_reference": row.external_reference,
        "case": references.get(row.case_id or 0),
        "problem": problem_told(row.refusal) if row.refusal else None,
    }


def problem_told(refusal: dict[str, Any]) -> dict[str, Any]:
    slug = nearest(refusal["types"])
    return {
        "type": BASE + slug,
        "title": str(PROBLEMS[slug].title),
        "status": PROBLEMS[slug].status,
        "detail": refusal["detail"],
        "errors": refusal["errors"],
    }
