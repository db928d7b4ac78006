"""The tables of Longcase itself, and what becomes of each when a case is erased."""

from __future__ import annotations

from django.db.models import Q

from processes.erasing import loose
from processes.erasing.facts import ERASED
from processes.erasing.registry import Finds, Subject, Table, register


def by_case(column: str = "case") -> Finds:
    return lambda subject: Q(**{column: subject.case.pk})


def _of_relations(subject: Subject) -> Q:
    return Q(case=subject.case.pk) | Q(other=subject.case.pk)


def _of_bulk_rows(subject: Subject) -> Q:
    return Q(case=subject.case.pk) | Q(task__case=subject.case.pk)


def asked_by_hand(subject: Subject) -> int:
    """A paper that staff asked for beside those of the kind has a title that they typed."""
    from cases.models import Requirement
    from processes.kinds import kind_of

    rows = Requirement.objects.filter(case=subject.case.pk)
    known = list(kind_of(subject.case.kind).document_titles)
    rows.exclude(name__in=known).update(title=ERASED)
    rows.exclude(reason="").update(reason=ERASED)
    return rows.count()


def pages_of_customers(subject: Subject) -> int:
    """The address opens nothing any more, and says nobody."""
    from cases.models import CustomerPage
    from timers import clock

    rows = CustomerPage.objects.filter(case=subject.case.pk)
    for row in rows:
        CustomerPage.objects.filter(pk=row.pk).update(
            name=ERASED,
            email="",
            phone="",
            token=f"{ERASED} {row.pk}",
            revoked_at=row.revoked_at or clock.now(),
        )
    return rows.count()


def _never(*models: str, why: str) -> None:
    register(*(Table(model, why=why) for model in models))


STAFF = "of members of staff, whom history names"
OF_THE_INSTALLATION = "of the installation: its settings, its code, its processes"
FIGURES = "figures of teams"

# -- rows of cases. Those that others are found by come after them.

register(
    Table(
        "cases.Export",
        by=loose.exports,
        handles=[
            "scopes",
            "on_behalf",
            "form",
            "options",
            "what",
            "told",
            "reason",
            "language",
            "failed",
            "cancelled_by",
            "path",
            "filename",
            "digest",
            "removed_by",
        ],
    ),
    Table("cases.ExportPart", why="deleted with the files of its export"),
    Table("cases.Opening", of=by_case(), kept=["purpose"]),  # one of a list
    Table("cases.Presence", by=loose.presences, handles=["address"]),
    Table("cases.Draft", by=loose.drafts, handles=["address", "data"]),
    Table(
        "cases.Once",
        by=loose.forms_carried_out,
        handles=["digest", "answer", "said", "undo", "results"],
    ),
    Table(
        "cases.KeptAnswer",
        by=loose.answers_of_the_api,
        handles=["caller", "key", "digest", "headers", "body"],
    ),
    Table("cases.Digest", by=loose.mails_to_staff, handles=["subject", "text"]),
    Table("cases.SavedList", by=loose.saved_lists, handles=["name", "page", "query"]),
    Table("cases.BulkAct", by=loose.acts_on_many, handles=["what", "back", "asked"]),
    Table(
        "cases.Job",
        by=loose.files_of_cases,
        handles=["scopes", "on_behalf", "kind", "filename", "digest", "cancelled_by"],
    ),
    Table(
        "cases.JobRow",
        by=loose.rows_of_files,
        handles=["state", "external_reference", "data", "refusal"],
    ),
    Table("cases.BulkRow", of=_of_bulk_rows, kept=["result"], scrub={"sentence": ERASED}),
    Table(
        "cases.Letter",
        of=loose.letters_of,
        kept=["key", "template", "party", "written_by", "state", "sent_by"],
        scrub={
            "to_name": ERASED,
            "to_email": "",
            "subject": ERASED,
            "text": ERASED,
            "why_not": ERASED,
        },
    ),
    Table(
        "cases.Message",
        by=loose.messages,
        handles=[
            "source",
            "key",
            "name",
            "to",
            "data",
            "digest",
            "actor",
            "on_behalf",
            "state",
            "why",
            "settled_by",
            "settled_why",
        ],
    ),
    Table("cases.Relation", of=_of_relations, kept=["related_by"], scrub={"reason": ERASED}),
    Table(
        "cases.Task",
        of=by_case(),
        kept=[
            "name",
            "title",
            "role",
            "outcomes",
            "asks",
            "unlike",
            "state",
            "closed_by",
            "outcome",
        ],
        scrub={"show": {}, "reason": ERASED, "result": {}},
    ),
    Table(
        "cases.Requirement",
        by=asked_by_hand,
        handles=["name", "title", "asked_of", "state", "reason"],
    ),
    Table(
        "cases.Document",
        of=by_case(),
        kept=["name", "media_type", "digest", "state", "received_from", "judged_by"],
        scrub={
            "filename": ERASED,
            "reason": ERASED,
            "remarks": [],
            "dated_date": None,
            "valid_until_date": None,
        },
    ),
    Table("cases.Note", of=by_case(), scrub={"text": ERASED}),
    Table("cases.Notice", of=by_case(), delete=True),
    Table("cases.Reminder", of=by_case(), delete=True),
    Table("cases.PageEntry", of=by_case("page__case"), delete=True),
    Table(
        "cases.CustomerPage",
        by=pages_of_customers,
        handles=["party", "name", "email", "phone", "token", "given_with"],
    ),
    Table("cases.UploadPart", of=by_case("upload__case"), delete=True),
    Table("cases.Upload", of=by_case(), delete=True),
    Table(
        "cases.Hold",
        of=by_case(),
        kept=["placed_by", "lifted_by"],
        scrub={"reason": ERASED, "lifted_why": ERASED},
    ),
    Table(
        "cases.DestructionRow", of=by_case(), kept=["state", "settled_by"], scrub={"why": ERASED}
    ),
    Table(
        "processes.Incident",
        of=by_case(),
        kept=["kind", "place", "closed_by"],
        scrub={
            "cause": ERASED,
            "title": ERASED,
            "expected": ERASED,
            "came": ERASED,
            "remedy": ERASED,
            "detail": ERASED,
        },
    ),
    Table("processes.Activity", of=by_case("case_id"), delete=True),
    Table(
        "processes.CodeResult", of=by_case(), kept=["step", "result"], scrub={"sentence": ERASED}
    ),
    Table(
        "processes.WebhookAttempt",
        of=lambda subject: Q(case=subject.case.reference),
        kept=["event_id", "type", "case"],
        scrub={"answer": ERASED, "error": ERASED},
    ),
    Table("timers.Timer", of=by_case("case_id"), delete=True),
    Table("timers.Clock", by=loose.clocks_of, handles=["name", "calendar", "state", "data"]),
    # The row of the case itself. What it is found by follows from it.
    Table(
        "cases.Case",
        of=by_case("pk"),
        kept=[
            "reference",
            "kind",
            "step",
            "code_digest",
            "head_hash",
            "waits",
            "waiting_on",
            "outcome",
            "source",
        ],
        scrub={"title": ERASED, "outcome_reason": ERASED, "source_key": ""},
    ),
    Table("cases.SearchEntry", by=loose.found_by, handles=["told", "text"]),
    Table("cases.SearchWord", why="dropped with the entry, where no other case has the word"),
)

# -- tables that hold nobody but staff, or nothing of anybody

register(
    Table(
        "cases.Destruction",
        kept=["what", "asked_by", "reason", "basis", "dropped_by", "dropped_why"],
        why="a reason that names somebody is refused",
    ),
    Table(
        "cases.Erasure",
        kept=[
            "number",
            "ground",
            "basis",
            "first_by",
            "second_by",
            "counts",
            "digests",
            "files",
            "paths",
        ],
        why="the certificate: it names nobody but those who decided",
    ),
    Table("audit.Event", why="its personal texts are sealed under the key of the case"),
)
_never(
    "cases.Person",
    "cases.Team",
    "cases.Identity",
    "cases.Absence",
    "cases.AccountChange",
    "cases.MutedKind",
    "cases.NoticeRead",
    "cases.Token",
    "cases.Client",
    "cases.CallCount",
    "cases.Person_groups",
    "cases.Person_user_permissions",
    "cases.Person_leads",
    why=STAFF,
)
_never(
    "cases.LetterTemplate",
    "cases.TemplateVersion",
    "cases.RetentionRule",
    "processes.Webhook",
    "processes.Worker",
    "processes.Source",
    "processes.CodeRun",
    "timers.CalendarRow",
    "timers.CalendarDay",
    "timers.CalendarChange",
    "timers.Service",
    "timers.SweepRun",
    "timers.Turn",
    why=OF_THE_INSTALLATION,
)
_never(
    "audit.CaseKey",
    "audit.Anchor",
    "audit.AnchoredHead",
    "audit.AnchoredPage",
    "audit.AnchorSending",
    why="keys, fingerprints and signatures",
)
_never("audit.Read", "audit.ReadSeal", why="numbers, fingerprints and marks, and no text of a case")
_never("processes.CheckRun", why="checks of history: they name cases by their references")
register(
    Table(
        "processes.CheckFinding",
        of=lambda subject: Q(reference=subject.case.reference),
        kept=["reference"],
        scrub={"words": ERASED},
    )
)
_never("cases.StepDay", "cases.TeamDay", why=FIGURES)
_never(
    "processes.CasePath",
    "processes.StepVisit",
    "processes.VisitWait",
    "processes.Term",
    "processes.PaperRejected",
    "processes.InsightPlace",
    why="moments, numbers and names that kinds declare: figures stay when a case is erased",
)
