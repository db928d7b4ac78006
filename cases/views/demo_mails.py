"""The mails of a demo, which leave for nowhere: so that one can read them and follow their
addresses as the customer would."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from cases.views.signing import signed_in

SHOWN = 50
_END = b"\n" + b"-" * 79


@dataclass(frozen=True, slots=True)
class Mail:
    at: datetime  # of this machine, which a turned clock does not move
    to: str
    subject: str
    body: str


@require_safe
@signed_in
def mails(request: HttpRequest) -> HttpResponse:
    """The newest mails of this demo."""
    if not settings.LONGCASE_DEMO:
        raise Http404
    folder = Path(getattr(settings, "EMAIL_FILE_PATH", None) or "/nowhere")
    files = sorted(folder.glob("*.log"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
    found = [_read(one) for one in files[:SHOWN]]
    return render(request, "cases/demo_mails.html", {"mails": found, "most": SHOWN})


def _read(file: Path) -> Mail:
    text = file.read_bytes().partition(_END)[0]
    mail = message_from_bytes(text, policy=default)
    at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return Mail(at, str(mail["To"]), str(mail["Subject"]), str(mail.get_content()))
