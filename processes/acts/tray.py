"""What people do with messages that found no case: link them, answer them, put them aside."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from cases import access
from cases.actors import Actor
from cases.errors import Invalid
from cases.models import Letter, Message
from processes.acts import documents, messages
from processes.acts.letters import checked
from processes.letters import Correspondent
from processes.storing import clean_filename, path_of, store
from timers import clock

IN_TRAY = ("late", "unmatched")
ATTACHMENTS = "attachments"  # of a message: [{"filename": "pay.pdf", "content": "<base64>"}]


_SEAL = "longcase.attachment"


class Attachment(NamedTuple):
    """A file that came inside a message."""

    filename: str
    content: bytes


def attachments_of(data: Any) -> list[Attachment]:
    """The files inside a message; what is no file is left to be read as it stands."""
    sent = data.get(ATTACHMENTS) if isinstance(data, Mapping) else None
    found = []
    for one in sent if isinstance(sent, list) else []:
        if isinstance(one, Mapping) and isinstance(one.get("kept"), str):
            found += _opened(str(one.get("filename") or "attachment"), one["kept"])
            continue
        if not isinstance(one, Mapping) or not isinstance(one.get("content"), str):
            continue
        try:
            content = base64.b64decode(one["content"], validate=True)
        except (binascii.Error, ValueError):
            continue
        found.append(Attachment(str(one.get("filename") or "attachment"), content))
    return found


def kept_attachment(filename: str, content: bytes) -> dict[str, str]:
    """A file for the data of a message that we took in ourselves: its bytes lie in storage. Raises
    Invalid for what is never taken."""
    filename = clean_filename(filename)
    stored = store(ContentFile(content), filename)
    # Sealed, for whoever may send messages could else name the bytes of another case's papers.
    return {"filename": filename, "kept": signing.Signer(salt=_SEAL).sign(stored.digest)}


def kept_digests(data: Any) -> set[str]:
    """The digests of the files that lie in storage for the data of a message."""
    found: set[str] = set()
    for one in data.get("attachments", ()) if isinstance(data, dict) else ():
        if isinstance(one, dict) and isinstance(one.get("kept"), str):
            try:
                found.add(signing.Signer(salt=_SEAL).unsign(one["kept"]))
            except signing.BadSignature:
                continue
    return found


def _opened(filename: str, kept: str) -> list[Attachment]:
    try:
        path = path_of(signing.Signer(salt=_SEAL).unsign(kept))
    except signing.BadSignature:
        return []
    with default_storage.open(path) as stored:
        return [Attachment(filename, bytes(stored.read()))]


@transaction.atomic
def link(
    *, message_id: int, case_id: int, actor: Actor
) -> tuple[messages.Delivery, list[documents.Receipt]]:
    """Give a message to its case; the files inside it become documents of the case, once. Returns
    what became of it, and of each file. Raises Invalid, CaseClosed, NotAllowed."""
    delivery = messages.link_message(message_id=message_id, case_id=case_id, actor=actor)
    files = attachments_of(Message.objects.get(pk=message_id).data)
    if not files or delivery.is_repeat:
        return delivery, []
    sent = [(documents.OTHER, ContentFile(one.content, name=one.filename)) for one in files]
    return delivery, documents.receive_several(case_id=case_id, files=sent, actor=actor)


@transaction.atomic
def put_aside(*, message_id: int, reason: str, actor: Actor) -> Message:
    """Say that a message is not ours. It is kept, with the reason and who said so."""
    if not reason.strip():
        said = _("Say why it belongs to no case.")
        raise Invalid(said, {"reason": said})
    message = _locked(message_id, actor)
    return _settled(message, reason.strip(), actor)


@transaction.atomic
def answer(*, message_id: int, to: Correspondent, subject: str, text: str, actor: Actor) -> Letter:
    """Answer a message that belongs to no case; the answer is mailed, or goes to the post room."""
    subject, text = checked(to, subject, text)
    message = _locked(message_id, actor)
    letter = Letter.objects.create(
        key=f"answer.{message.pk}",
        template="",
        to_name=to.name,
        to_email=to.email,
        subject=subject,
        text=text,
        written_at=clock.now(),
        written_by=actor.code,
        state="due" if to.email else "to_post",
    )
    message.answer = letter
    _settled(message, _("It was answered."), actor)
    return letter


def _locked(message_id: int, actor: Actor) -> Message:
    access.require(actor, "link message")
    message = Message.objects.select_for_update(of=("self",)).filter(pk=message_id).first()
    if message is None or message.state not in IN_TRAY:
        raise Invalid(_("This message lies no longer in the tray."))
    return message


def _settled(message: Message, why: str, actor: Actor) -> Message:
    message.state, message.settled_at = "closed", clock.now()
    message.settled_by, message.settled_why = actor.code, why
    message.save(update_fields=["state", "settled_at", "settled_by", "settled_why", "answer"])
    return message


def words_in(message: Message) -> Iterator[str]:
    """What a message says that a case may be found by: its address first, then its short texts."""
    yield message.to
    yield from _texts(message.data)


def _texts(thing: Any) -> Iterator[str]:
    if isinstance(thing, str) and 3 < len(thing) < 80:
        yield thing
    elif isinstance(thing, Mapping):
        for name, one in thing.items():
            if name != ATTACHMENTS:
                yield from _texts(one)
    elif isinstance(thing, list):
        for one in thing:
            yield from _texts(one)
