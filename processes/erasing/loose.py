"""Rows that belong to no one case and may tell of one all the same: kept answers, mails to staff,
drafts, saved lists, messages in the tray. What is kept for a while goes; the rest is overwritten.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from urllib.parse import parse_qsl, urlencode

from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from audit import codec
from cases.models import (
    BulkAct,
    Digest,
    Document,
    Draft,
    Export,
    ExportPart,
    Job,
    JobRow,
    KeptAnswer,
    Letter,
    Message,
    Once,
    Presence,
    SavedList,
    SearchEntry,
    SearchWord,
    Task,
)
from cases.spelling import correctable, folded
from processes.engine import findable
from processes.erasing.facts import ERASED
from processes.erasing.registry import Subject
from processes.kinds import kind_of
from timers import clock, clocks
from timers.models import Clock


def containing(column: str, texts: list[str]) -> Q:
    """Rows in whose column one of these stands."""
    return reduce(or_, (Q(**{f"{column}__icontains": one}) for one in texts), Q(pk__in=[]))


def addresses(subject: Subject) -> list[str]:
    """Where the pages of the case, its tasks, documents, letters and messages begin."""
    case = subject.case
    found = [f"/cases/{case.reference}/"]
    for name, rows in (
        ("tasks", Task.objects.filter(case=case.pk)),
        ("documents", Document.objects.filter(case=case.pk)),
        ("letters", Letter.objects.filter(case=case.pk)),
        ("messages", Message.objects.filter(messages_of(subject))),
    ):
        found += [f"/{name}/{pk}/" for pk in rows.values_list("pk", flat=True)]
    return found


def of_its_pages(subject: Subject) -> Q:
    return reduce(or_, (Q(address__startswith=one) for one in addresses(subject)))


def presences(subject: Subject) -> int:
    return Presence.objects.filter(of_its_pages(subject)).delete()[0]


def drafts(subject: Subject) -> int:
    """Of its own pages, and those of no case at all that name its person."""
    rows = Draft.objects.annotate(said=Cast("data", TextField()))
    loose = containing("said", _as_json(subject.values)) & ~Q(address__regex=_OF_A_CASE)
    pks = list(rows.filter(of_its_pages(subject) | loose).values_list("pk", flat=True))
    return Draft.objects.filter(pk__in=pks).delete()[0]


_OF_A_CASE = r"^/(cases/[A-Z]|tasks/[0-9]|documents/[0-9]|letters/[0-9])"


def _as_json(texts: list[str]) -> list[str]:
    """These texts as they stand within JSON."""
    return [one.replace("\\", "\\\\").replace('"', '\\"') for one in texts]


def forms_carried_out(subject: Subject) -> int:
    rows = Once.objects.annotate(told=Cast("results", TextField()))
    texts = subject.mentions
    wanted = containing("said", texts) | containing("answer", texts) | containing("told", texts)
    wanted |= containing("undo", texts)
    return Once.objects.filter(
        pk__in=list(rows.filter(wanted).values_list("pk", flat=True))
    ).delete()[0]


def answers_of_the_api(subject: Subject) -> int:
    texts = _as_json(subject.mentions)
    found = KeptAnswer.objects.extra(
        where=[
            "EXISTS (SELECT 1 FROM unnest(%s::text[]) AS x (one) "
            "WHERE position(convert_to(x.one, 'UTF8') in body) > 0 "
            "OR position(x.one in headers::text) > 0 OR position(x.one in key) > 0)"
        ],
        params=[texts],
    )
    pks = list(found.values_list("pk", flat=True))
    return KeptAnswer.objects.filter(pk__in=pks).delete()[0]


def mails_to_staff(subject: Subject) -> int:
    """Those that were sent are overwritten; one that was not is written anew without the case."""
    rows = Digest.objects.filter(containing("text", subject.mentions))
    unsent = rows.filter(sent_at=None).delete()[0]
    return unsent + rows.update(subject=ERASED, text=ERASED)


def saved_lists(subject: Subject) -> int:
    """Lists that look for the person, or bear the name."""
    number = 0
    names = [*subject.names, *(folded(one) for one in subject.values)]
    for row in SavedList.objects.exclude(query="", name=""):
        asked = parse_qsl(row.query, keep_blank_values=True)
        kept = [(name, value) for name, value in asked if not _tells(value, names)]
        is_named = _tells(row.name, names)
        if len(kept) < len(asked) or is_named:
            row.query = urlencode(kept)
            row.name = f"{ERASED} {row.pk}" if is_named else row.name
            row.save(update_fields=["query", "name"])
            number += 1
    return number


def _tells(text: str, names: list[str]) -> bool:
    said = folded(text)
    return bool(said) and any(name in said for name in names if name)


def acts_on_many(subject: Subject) -> int:
    """What was asked of many cases at once, and the list it was chosen from."""
    number = 0
    wanted = containing("asked", _as_json(subject.values))
    wanted |= containing("back", [*subject.names, *subject.values])
    for row in BulkAct.objects.filter(wanted):
        row.asked = _without(row.asked, subject.values)
        row.back = "/work/"
        row.save(update_fields=["asked", "back"])
        number += 1
    return number


def _without(data: object, values: list[str]) -> object:
    """The same data, with each text overwritten in which one of these stands."""
    if isinstance(data, str):
        told = data.casefold()
        return ERASED if any(one.casefold() in told for one in values) else data
    if isinstance(data, dict):
        return {name: _without(one, values) for name, one in data.items()}
    if isinstance(data, (list, tuple)):
        return [_without(one, values) for one in data]
    return data


def files_of_cases(subject: Subject) -> int:
    return Job.objects.filter(containing("filename", subject.values)).update(filename=ERASED)


def rows_of_files(subject: Subject) -> int:
    """The row that opened the case, and rows of no case that name the person."""
    of_it = Q(case=subject.case.pk)
    loose = Q(case=None) & (
        containing("external_reference", subject.values)
        | containing("refusal", _as_json(subject.values))
        | containing("data", _as_json(subject.values)) & ~Q(state=JobRow.State.WAITING)
    )
    return JobRow.objects.filter(of_it | loose).update(external_reference="", data={}, refusal={})


def messages_of(subject: Subject) -> Q:
    """Those that reached the case, were meant for it, or came for nobody and name its person."""
    case = subject.case
    meant = Q(to__in=[case.reference, f"id:{case.pk}"], case_id=None)
    nobodys = Q(case_id=None) & (
        containing("data", _as_json(subject.values)) | containing("to", subject.values)
    )
    return Q(case_id=case.pk) | meant | nobodys & ~Q(state="new")


def messages(subject: Subject) -> int:
    rows = Message.objects.filter(messages_of(subject))
    keys = containing("key", subject.values)
    for row in rows.filter(keys):
        Message.objects.filter(pk=row.pk).update(key=f"{ERASED} {row.pk}")
    for row in rows.filter(containing("to", subject.values)):
        Message.objects.filter(pk=row.pk).update(to=ERASED)
    # Without its digest the same key with whatever content is refused: nothing comes back in.
    return rows.update(data={}, why="", settled_why="", digest="")


def letters_of(subject: Subject) -> Q:
    """Its letters, and those that answered a message of its person without a case."""
    answers = Message.objects.filter(messages_of(subject), answer__isnull=False)
    return Q(case=subject.case.pk) | Q(
        case=None, pk__in=list(answers.values_list("answer", flat=True))
    )


def exports(subject: Subject) -> int:
    """Files of exports that have the case are taken away, and one under way ends; what was asked
    for says no name. `files.py` deletes the files."""
    now = clock.now()
    rows = Export.objects.filter(cases__case=subject.case.pk)
    pks = set(rows.values_list("pk", flat=True))
    of_it = Export.objects.filter(pk__in=pks)
    ours = {"removed_at": now, "removed_by": "engine", "path": "", "filename": ""}
    number = of_it.exclude(path="").update(**ours)
    number += of_it.filter(ended_at=None).update(ended_at=now, failed=_("A case of it was erased."))
    ExportPart.objects.filter(export__in=pks).delete()
    texts = [*subject.names, *subject.values]
    for name in ("told", "reason", "filename"):
        number += Export.objects.filter(containing(name, texts)).update(**{name: ERASED})
    return number


def paths_of_exports(subject: Subject) -> list[str]:
    """Where the files of exports lie that have the case."""
    rows = Export.objects.filter(cases__case=subject.case.pk)
    parts = ExportPart.objects.filter(export__in=rows.values("pk"))
    found = [*rows.values_list("path", flat=True)]
    for path in parts.values_list("path", flat=True):
        found += [path, f"{path}.json"]
    return [one for one in found if one]


def found_by(subject: Subject) -> int:
    """The search entry says what is left of the row; words that no other case has are dropped."""
    case = subject.case
    old = SearchEntry.objects.filter(case=case.pk).first()
    if old is None:
        return 0
    words = set(correctable(old.text))
    kind = kind_of(case.kind)
    now = kind.model.objects.get(pk=case.pk)
    row = {one.attname: getattr(now, one.attname) for one in type(now)._meta.concrete_fields}
    facts = {name: getattr(now, name) for name in kind.fact_names}
    documents = findable.documents_of([case.pk]).get(case.pk, ())
    entry = findable.entry_of(kind, row, facts, documents)
    SearchEntry.objects.filter(case=case.pk).update(
        team_id=entry.team_id, told=entry.told, text=entry.text
    )
    for word in words - set(correctable(entry.text)):
        others = SearchEntry.objects.filter(text__contains=f" {word} ")
        if not others.exists():
            SearchWord.objects.filter(word=word).delete()
    return 1


def _over(reason: str) -> str:
    return ERASED if reason else ""


def clocks_of(subject: Subject) -> int:
    """The dates of a clock stay; why it was paused or extended does not."""
    number = 0
    for row in Clock.objects.filter(case_id=subject.case.pk):
        state = row.stood
        state = replace(
            state,
            pauses=tuple(replace(one, reason=_over(one.reason)) for one in state.pauses),
            extensions=tuple(replace(one, reason=_over(one.reason)) for one in state.extensions),
        )
        Clock.objects.filter(pk=row.pk).update(data=codec.encode(clocks.encode(state)))
        number += 1
    return number
