"""Mail as it comes in: one message of RFC 5322 as an `Incoming`, and a maildir as an adapter."""

from __future__ import annotations

import hashlib
import mailbox
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any

from processes.inbound import FILES, File, Incoming, Taken

SOURCE, NAME = "mail", "mail"
TEXT_CHARACTERS = 20_000  # of the message; the whole text comes as a document


def incoming(raw: bytes) -> Incoming:
    """A mail. Its case is named by an address it was sent to, else by its subject; its text and
    its attachments are its files. It is known by its Message-ID, or by its bytes without one."""
    mail: Any = BytesParser(policy=policy.default).parsebytes(raw)
    subject = _text(mail, "subject")
    addresses = [
        _text(mail, name) for name in ("delivered-to", "x-original-to", "to", "cc") if mail[name]
    ]
    body = _body(mail)
    files = [
        File(part.get_filename() or f"attachment-{n}", _bytes(part))
        for n, part in enumerate(mail.iter_attachments(), 1)
    ]
    said = f"From: {_text(mail, 'from')}\nDate: {_text(mail, 'date')}\nSubject: {subject}\n\n{body}"
    files = [one for one in files if one.content][: FILES - 1]
    files.append(File(f"mail {subject[:80]}.txt", said.encode()))
    key = _text(mail, "message-id").strip() or hashlib.sha256(raw).hexdigest()
    if len(key) > 200:
        key = hashlib.sha256(key.encode()).hexdigest()
    return Incoming(
        source=SOURCE,
        key=key,
        name=NAME,
        to=[*addresses, subject],
        data={"from": _text(mail, "from"), "subject": subject, "text": body[:TEXT_CHARACTERS]},
        files=files,
    )


def _text(mail: EmailMessage, name: str) -> str:
    found = " ".join(str(one) for one in mail.get_all(name, []))
    return found.replace("\0", "").encode(errors="replace").decode()[:1000]


def _body(mail: Any) -> str:
    part = mail.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    try:
        text = str(part.get_content())
    except (LookupError, KeyError, ValueError):  # a character set that nobody knows
        text = _bytes(part).decode(errors="replace")
    return text.replace("\0", "").encode(errors="replace").decode()


def _bytes(part: Any) -> bytes:
    if part.get_content_type() == "message/rfc822":
        return b"".join(bytes(one) for one in part.iter_parts()) or bytes(part)
    return part.get_payload(decode=True) or b""


class Maildir:
    """New mails of a maildir; what is taken is moved to `cur`, as read."""

    def __init__(self, folder: Path) -> None:
        self._box = mailbox.Maildir(str(folder), factory=None, create=False)

    def __iter__(self) -> Iterator[tuple[Any, Incoming]]:
        for key in sorted(self._box.keys()):
            if self._box.get_message(key).get_subdir() == "new":
                yield key, incoming(self._box.get_bytes(key))

    def done(self, thing: Any, taken: Taken) -> None:
        mail = self._box.get_message(thing)
        mail.set_subdir("cur")
        mail.add_flag("S")
        self._box[thing] = mail
