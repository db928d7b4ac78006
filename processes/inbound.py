"""What comes in by other ways than calls: mail, files in a folder, and whatever an adapter reads.

An adapter makes an `Incoming` of each thing that it finds and gives it to `take`, once or as often
as it likes: the same (source, key) is taken once. What names a case becomes its documents, and a
message where its kind takes one of that name; all else lies in the tray, with its files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils.translation import gettext as _

from cases.actors import Actor, service
from cases.errors import CaseClosed, Invalid, NotNow
from cases.models import Case, Message, Requirement
from processes.acts import documents
from processes.acts.messages import deliver_message, lay_in_tray
from processes.acts.tray import kept_attachment
from processes.engine import inbox
from processes.kinds import kind_of
from timers import clock

REFERENCE = re.compile(r"(?<![A-Za-z0-9])([A-Z]{2,6}-[0-9]{4}-[0-9]{4,12})(?![0-9])", re.IGNORECASE)
FILES = 50  # of one thing that comes in


class File(NamedTuple):
    filename: str
    content: bytes
    name: str = ""  # the document it is; by its file name where that is not said


@dataclass(frozen=True, slots=True)
class Incoming:
    """One thing that came in. `to` holds what may name its case, the surest first."""

    source: str
    key: str
    name: str
    to: Sequence[str]
    data: dict[str, Any] = field(default_factory=dict)
    files: Sequence[File] = ()
    is_strict: bool = False  # a file that is never taken keeps all of it out


class Adapter(Protocol):
    """What reads a mailbox, a folder, a queue: gives what it finds, and is told what became of it,
    so that it can put it away. Killed in between, it gives the same thing again."""

    def __iter__(self) -> Iterator[tuple[Any, Incoming]]: ...

    def done(self, thing: Any, taken: Taken) -> None: ...


class Taken(NamedTuple):
    """What became of it: used, kept, late, unmatched; and in which case."""

    state: str
    case: str
    is_repeat: bool


def take(one: Incoming) -> Taken:
    """Give what came in to its case, or lay it into the tray. Raises Invalid for what cannot be
    kept at all (no key, too large), SameKeyOtherContent."""
    if len(one.files) > FILES:
        raise Invalid(_("At most %(most)s files come in at once.") % {"most": FILES})
    before = Message.objects.filter(source=one.source, key=one.key).first()
    if before is not None:
        reference = Case.objects.filter(pk=before.case_id).values_list("reference", flat=True)
        return Taken(before.state, reference.first() or "", True)
    case, why = _case_of(one.to)
    if case is None:
        return _lay_in_tray(one, why)
    try:
        with transaction.atomic():
            return _give(one, case)
    except (CaseClosed, Invalid, NotNow) as refusal:
        return _lay_in_tray(one, str(refusal), to=case.reference)


def _give(one: Incoming, case: Case) -> Taken:
    """In one commit: the message and all of its files, or nothing of it."""
    actor = service(one.source)
    if one.name in kind_of(case.kind).messages:
        told = deliver_message(
            case_id=case.pk,
            name=one.name,
            data=one.data,
            source=one.source,
            key=one.key,
            actor=actor,
        )
        state, is_repeat = told.state, told.is_repeat
    else:
        stored = inbox.store(
            source=one.source,
            key=one.key,
            name=one.name,
            to=case.reference,
            data=one.data,
            actor=actor.code,
            state="used",
        )
        state, is_repeat = "used", not stored.is_new
        Message.objects.filter(pk=stored.id).update(case_id=case.pk, settled_at=clock.now())
    if not is_repeat:
        _receive(one, case, actor)
    return Taken(state, case.reference, is_repeat)


def _receive(one: Incoming, case: Case, actor: Actor) -> None:
    """The files as documents. One that is never taken is told of in a paper of its own."""
    asked = set(Requirement.objects.filter(case_id=case.pk).values_list("name", flat=True))
    refused = []
    for file in one.files:
        try:
            with transaction.atomic():
                _keep(file, file.name or _name_of(file, asked, case.pk), case, actor)
        except CaseClosed:
            raise
        except Invalid as refusal:
            if one.is_strict:
                raise
            refused.append(str(refusal))
    if refused:
        told = File("not taken.txt", "\n".join(refused).encode())
        _keep(told, documents.name_for_other(case.pk), case, actor)


def _keep(file: File, name: str, case: Case, actor: Actor) -> None:
    content = ContentFile(file.content, name=file.filename)
    documents.receive_document(case_id=case.pk, name=name, file=content, actor=actor)


def _name_of(file: File, asked: set[str], case_id: int) -> str:
    """What was asked for, if the file is called so; else something that nobody asked for."""
    stem = re.sub(r"[^a-z0-9]+", "_", file.filename.rpartition(".")[0].lower()).strip("_")
    if stem in asked:
        return stem
    return documents.name_for_other(case_id)


def _case_of(to: Sequence[str]) -> tuple[Case | None, str]:
    """The case that is named; or none, and why. The first text that names any decides."""
    for text in to:
        names = {name.upper() for name in REFERENCE.findall(text)}
        exact = Case.objects.filter(reference=text).first() if text else None
        found = list(Case.objects.filter(reference__in=names)[:2]) if exact is None else [exact]
        if len(found) > 1 or len(names) > 1:
            return None, _("It names more than one case: %(names)s.") % {
                "names": ", ".join(sorted(names))
            }
        if found:
            return found[0], ""
        if names:
            return None, _("There is no case %(name)s.") % {"name": names.pop()}
    return None, _("It names no case.")


def _lay_in_tray(one: Incoming, why: str, *, to: str = "") -> Taken:
    data, refused = dict(one.data), []
    attachments = []
    for file in one.files:
        try:
            attachments.append(kept_attachment(file.filename, file.content))
        except Invalid as refusal:
            if one.is_strict:
                raise
            refused.append(str(refusal))
    if attachments:
        data["attachments"] = attachments
    if refused:
        data["not_taken"] = refused
    lay_in_tray(
        to=(to or next((text for text in one.to if text), ""))[:200],
        name=one.name,
        data=data,
        source=one.source,
        key=one.key,
        why=why,
        actor=service(one.source),
    )
    return Taken("unmatched", "", False)
