"""Opening many cases from one file: accepted whole, carried out row by row, cancelled.

Each row is a commit of its own: the case, its first event that names the job, and the row's result.
So a run that breaks off goes on where it stood, and nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from audit.codec import PayloadTooLarge
from cases import access
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed, Refused, names_of
from cases.models import Client, Job, JobRow, Person, Token
from processes.acts.clients import is_alive
from processes.acts.requested import FIELDS_AT, open_requested
from processes.callers import Caller, scopes_now
from timers import clock

MOST_ROWS = 10_000
KEPT = timedelta(days=30)  # after its end
PIECE = 1000  # rows written by one statement


class JobOver(Refused):
    """The job has ended; there is nothing left to cancel."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A row to be carried out, or one that is refused as soon as it is read."""

    line: int
    data: dict[str, Any]
    errors: list[dict[str, str]] = field(default_factory=list)


@transaction.atomic
def accept_job(
    *,
    caller: Caller,
    token: Token | None,
    rows: Sequence[Asked],
    filename: str,
    digest: str,
    kind: str = "",
) -> Job:
    """Keep a file of cases, to be opened by workers. Raises Invalid."""
    if not 1 <= len(rows) <= MOST_ROWS:
        raise Invalid(_("A job has 1 to %(most)s rows.") % {"most": MOST_ROWS})
    job = Job.objects.create(
        client=caller.client,
        person=caller.person,
        token=token,
        scopes=_cut_down_to(caller, token),
        on_behalf=caller.on_behalf,
        kind=kind,
        filename=filename[:200] or "rows",
        digest=digest,
        size=len(rows),
        made_at=clock.now(),
    )
    made = (_row(job, place, one) for place, one in enumerate(rows, 1))
    JobRow.objects.bulk_create(made, batch_size=PIECE)
    return job


def _cut_down_to(caller: Caller, token: Token | None) -> list[str] | None:
    """What the token narrows its holder to; None where it does not."""
    if caller.client is not None:
        return (token.scopes or None) if token is not None else None
    return caller.scopes


def _row(job: Job, place: int, one: Asked) -> JobRow:
    said = one.data.get("external_reference", "")
    row = JobRow(job=job, place=place, line=one.line, data=one.data)
    row.external_reference = said[:200] if isinstance(said, str) else ""
    if one.errors:
        told = " ".join(f"{e['pointer'].removeprefix('#/')}: {e['detail']}" for e in one.errors)
        row.state, row.data = JobRow.State.REFUSED, {}
        row.refusal = {"types": ["invalid"], "detail": told, "errors": one.errors}
    return row


def jobs_of(who: Person | Client) -> QuerySet[Job]:
    """The jobs of a program or a person; for who manages programs or repairs cases, all."""
    if isinstance(who, Client):
        return Job.objects.filter(client=who)
    if access.may(who, "see jobs"):
        return Job.objects.all()
    return Job.objects.filter(person=who)


def counts(jobs: Sequence[Job]) -> dict[int, dict[str, int]]:
    """By job: how many of its rows are in each state. One query."""
    found = {job.pk: dict.fromkeys(JobRow.State.values, 0) for job in jobs}
    rows = JobRow.objects.filter(job__in=found).values_list("job", "state")
    for pk, state, n in rows.annotate(n=Count("pk")).order_by():
        found[pk][state] = n
    return found


@transaction.atomic
def cancel_job(*, job_id: int, actor: Actor) -> Job:
    """Leave out the rows that were not carried out yet; cases that were opened stay. Raises
    JobOver, NotAllowed."""
    job = Job.objects.select_for_update().get(pk=job_id)
    who = actor.person or actor.client
    if who is None or not jobs_of(who).filter(pk=job_id).exists():
        raise NotAllowed(_("This job is somebody else's."))
    if job.ended_at is not None:
        raise JobOver(_("The job “%(job)s” has ended.") % {"job": job})
    job.cancelled_by, job.ended_at = actor.code, clock.now()
    job.save(update_fields=["cancelled_by", "ended_at"])
    waiting = JobRow.objects.filter(job=job, state=JobRow.State.WAITING)
    waiting.update(state=JobRow.State.CANCELLED, data={})
    return job


def caller_of(job: Job) -> Caller:
    """Whose job it is, with the rights and scopes of this moment. Raises NotAllowed."""
    now = (
        Job.objects.select_related("client__team", "person__team", "token__bought_with")
        .only("scopes", "on_behalf", "client", "person", "token")
        .get(pk=job.pk)
    )
    who = now.client or now.person
    assert who is not None  # a constraint of the table
    if not who.is_active:
        raise NotAllowed(_("%(who)s was ended after the job was accepted.") % {"who": who})
    token = now.token
    if token is not None and _is_revoked(token):
        raise NotAllowed(_("The token that the job was sent with was revoked."))
    return Caller(who, scopes_now(who, now.scopes), now.on_behalf)


def _is_revoked(token: Token) -> bool:
    """An hour's token may end while its job goes on; revoked, or with its secret, it may not."""
    if token.revoked_at is not None:
        return True
    return token.bought_with is not None and not is_alive(token.bought_with)


def do_row(*, job: Job, row: JobRow) -> None:
    """Open the case of one row, unless that was done before: case and result in one commit."""
    try:
        with transaction.atomic():
            request = {"kind": job.kind, **row.data}
            case, is_new = open_requested(caller=caller_of(job), request=request, job=job.pk)
            state = JobRow.State.OPENED if is_new else JobRow.State.KNOWN
            if not _keep(row, state=state, case=case.pk):
                raise _DoneBefore
    except _DoneBefore:
        return
    except Refused as refusal:
        refuse_row(row=row, why=refusal)
    except PayloadTooLarge as error:
        _keep(
            row,
            state=JobRow.State.REFUSED,
            refusal={"types": ["too-large"], "detail": str(error), "errors": []},
        )


def refuse_row(*, row: JobRow, why: Refused) -> None:
    """Say why a row was not done; unless it was done, or cancelled, meanwhile."""
    told: dict[str, Any] = {"types": names_of(why), "detail": str(why), "errors": []}
    if isinstance(why, Invalid):
        told["errors"] = [
            {"pointer": _pointer(name), "detail": str(said)} for name, said in why.fields.items()
        ]
    _keep(row, state=JobRow.State.REFUSED, refusal=told)


def _pointer(name: str) -> str:
    where = FIELDS_AT.get(name, FIELDS_AT["*"])
    return f"#{where}/{name.replace('~', '~0').replace('/', '~1')}"


class _DoneBefore(Exception):
    """Another run has carried out this row meanwhile, or it was cancelled."""


def _keep(row: JobRow, **result: Any) -> bool:
    still = JobRow.objects.filter(pk=row.pk, state=JobRow.State.WAITING)
    return bool(still.update(data={}, **result))


def forget_old() -> int:
    """Drop jobs long over, with what became of their rows. Run by the timer service."""
    dropped, _by_model = Job.objects.filter(Q(ended_at__lt=clock.now() - KEPT)).delete()
    return dropped
