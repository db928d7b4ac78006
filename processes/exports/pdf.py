"""A case as a file of paper: what it is, all that happened, and its documents attached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from audit.verify import verify_case
from cases import dates, papers, sentences, timeline
from cases.models import Case, Document
from cases.words import Words, capitalised, of_steps, outcome_label, party, plain
from processes.exports.formats import Asked
from processes.exports.gathering import Gathered
from processes.exports.texts import shown
from processes.exports.zips import OneEach
from processes.storing import DocumentDamaged, open_document

if TYPE_CHECKING:
    from processes.exports.paper import Paper

STATES = {
    "received": gettext_lazy("not judged yet"),
    "accepted": gettext_lazy("accepted"),
    "rejected": gettext_lazy("rejected"),
}


class CaseFiles(OneEach):
    """One PDF a case."""

    name: ClassVar[str] = "pdf"
    title: ClassVar[Any] = gettext_lazy("PDF case file, with the documents attached")
    ending = "pdf"
    media_type: ClassVar[str] = "application/pdf"

    def write(self, one: Gathered, out: IO[bytes], asked: Asked) -> None:
        case = one.case
        export = _("Export %(n)s") % {"n": asked.number}
        foot = f"{case.reference} · Longcase · {export}"
        from processes.exports.paper import Paper  # it takes a fifth of a second to load

        paper = Paper(title=f"{case.reference} {case.title}", foot=foot, made_at=asked.made_at)
        documents = list(case.documents.order_by("received_at", "pk"))
        attached = _attach(paper, documents)
        _cover(paper, one, asked)
        _facts(paper, one)
        _parties(paper, one)
        _reviews(paper, one, documents)
        _documents(paper, one, documents, attached)
        _letters(paper, one)
        _notes(paper, one)
        _history(paper, one)
        paper.write_to(out)


def _cover(paper: Paper, one: Gathered, asked: Asked) -> None:
    case, words = one.case, one.words
    paper.heading(case.title, size=20)
    paper.said(f"{case.reference} · {one.kind.title}", size=12)
    paper.ln(4)
    paper.pair(_("Opened"), dates.moment(case.opened_at))
    if case.closed_at:
        paper.pair(
            _("Closed"),
            f"{dates.moment(case.closed_at)}: {plain(case.outcome)}. {case.outcome_reason}",
        )
    else:
        paper.pair(_("Step"), words.step(case.step))
    paper.pair(_("Caseworker"), ", ".join(filter(None, [one.caseworker, str(case.team or "")])))
    paper.ln(4)
    finding = verify_case(case.pk, case.head_number, bytes(case.head_hash))
    if finding is None:
        told = _("Chain of events checked: %(n)s of %(n)s fit together.") % {"n": case.head_number}
    else:
        broken = {"n": finding.number, "words": finding.words}
        told = _("The chain of events is broken at event %(n)s: %(words)s") % broken
    paper.pair(_("Proof"), f"{told} {bytes(case.head_hash).hex()}")
    paper.pair(
        _("Exported"),
        _("%(at)s for %(who)s") % {"at": dates.moment(asked.made_at), "who": asked.by},
    )
    paper.pair(_("Why"), asked.reason)


def _facts(paper: Paper, one: Gathered) -> None:
    paper.heading(_("Facts"))
    for field in one.kind.model.fact_fields():
        value = getattr(one.case, field.attname)
        if value in (None, "", [], {}):
            continue
        said = sentences.said_fact(one.words, field.name, value)
        if said:
            paper.pair(capitalised(str(field.verbose_name)), said)


def _parties(paper: Paper, one: Gathered) -> None:
    case = one.case
    paper.heading(_("Parties"))
    to = getattr(case, "correspondent", None)
    if to is not None:
        paper.pair(_("Customer"), ", ".join(filter(None, [to.name, to.email])))
    asked = {wait["on"] for wait in case.waits if wait["kind"] in ("party", "message")}
    asked |= set(case.requirements.values_list("asked_of", flat=True))
    for name in sorted(party(each) for each in asked if each not in ("", "applicant", "customer")):
        paper.pair(capitalised(name), _("has part in it"))
    for reference, how in _family(case):
        paper.pair(how, reference)


def _family(case: Case) -> Iterator[tuple[str, str]]:
    if case.parent is not None:
        yield case.parent.reference, _("Part of")
    for reference in case.children.order_by("pk").values_list("reference", flat=True):
        yield reference, _("Has as a part")


def _reviews(paper: Paper, one: Gathered, documents: list[Document]) -> None:
    tasks = [each for each in one.words.tasks if each.is_review and each.state != "cancelled"]
    paper.heading(_("Reviews"))
    if not tasks:
        paper.said(_("There is none."))
    for task in tasks:
        outcome = outcome_label(task, task.outcome) if task.outcome else plain(task.state)
        by = one.words.actor(task.closed_by) if task.closed_by else ""
        when = dates.moment(task.closed_at) if task.closed_at else ""
        rested = [
            f"{one.words.document(each.document.name)}: {each.document.filename}"
            for each in papers.rested_on(task, documents)
        ]
        paper.entry(
            f"{of_steps(task.title)}: {outcome}",
            ", ".join(filter(None, [by, when])),
            [task.reason, *rested],
        )


def _documents(
    paper: Paper, one: Gathered, documents: list[Document], attached: dict[int, str]
) -> None:
    count = len(documents)
    paper.heading(ngettext("%(n)s document", "%(n)s documents", count) % {"n": count})
    for each in documents:
        about = _("version %(n)s, %(size)s bytes, came in %(at)s, %(state)s") % {
            "n": each.version,
            "size": each.size,
            "at": dates.moment(each.received_at),
            "state": STATES.get(each.state, each.state),
        }
        name = f"{one.words.document(each.name)}: {each.filename}"
        paper.entry(name, about, [f"SHA-256 {each.digest}", attached[each.pk], each.reason])


def _attach(paper: Paper, documents: list[Document]) -> dict[int, str]:
    """Attach the bytes of each document, as far as there is room; what became of each, in words."""
    room = settings.LONGCASE_EXPORT_ATTACH_BYTES
    told: dict[int, str] = {}
    names: set[str] = set()
    for each in documents:
        if each.size > room:
            told[each.pk] = _("Not attached: it is too large for this file. Take it from the case.")
            continue
        try:
            with open_document(each) as file:
                content = file.read()
        except DocumentDamaged as error:
            told[each.pk] = _("Not attached: %(why)s") % {"why": error}
            continue
        name = _name_of(each, names)
        paper.embed_file(bytes=content, basename=name, modification_date=each.received_at)
        room -= len(content)
        told[each.pk] = _("Attached as %(name)s") % {"name": name}
    return told


def _name_of(document: Document, taken: set[str]) -> str:
    name = shown(document.filename)
    if name in taken:
        name = f"{document.name} {document.version} {document.pk} {name}"
    taken.add(name)
    return name


def _letters(paper: Paper, one: Gathered) -> None:
    letters = list(one.case.letters.order_by("written_at", "pk"))
    if not letters:
        return
    paper.heading(_("Letters"))
    for letter in letters:
        to = _("to %(who)s, %(at)s") % {
            "who": letter.to_name,
            "at": dates.moment(letter.written_at),
        }
        paper.entry(letter.subject, f"{to}, {plain(letter.state)}", [letter.text])


def _notes(paper: Paper, one: Gathered) -> None:
    notes = list(one.case.notes.order_by("written_at", "pk"))
    if not notes:
        return
    paper.heading(_("Notes"))
    for note in notes:
        struck = hasattr(note, "struck_by")
        about = f"{one.staff[note.author_id]}, {dates.moment(note.written_at)}"
        title = _("Corrected since") if struck else _("Note")
        paper.entry(title, about, [note.text])


def _history(paper: Paper, one: Gathered) -> None:
    words: Words = one.words
    count = len(one.events)
    paper.heading(ngettext("%(n)s event", "%(n)s events", count) % {"n": count}, new_page=True)
    for event in one.events:
        entry = timeline.tell(event, words)
        about = f"{event.number} · {entry.by} · {dates.moment(entry.at)}"
        paper.entry(entry.title, about, entry.lines)
