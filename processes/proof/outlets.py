"""The ways out: anchors written where whoever rewrites the database cannot reach.

What is to be sent is a row, made in the commit of its anchor. A worker takes one under a lease, and
tries again, ever more rarely, until it has arrived; a worker that dies costs the lease.
"""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from cryptography import x509
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.utils import translation
from django.utils.translation import gettext as _
from rfc3161_client import (
    HashAlgorithm,
    TimestampRequestBuilder,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from audit import anchors, elsewhere
from audit.bundle import anchor_record
from audit.models import Anchor, AnchorSending
from processes.webhooks.outgoing import Line
from timers import clock

log = logging.getLogger("longcase.proof")

PAUSES = (30, 120, 600, 1800, 3600, 10800, 21600)  # seconds after so many failures; then the last
SECONDS = 20.0  # in which the other side must have answered
LEASE = timedelta(seconds=120)
GRANTED = 0  # of RFC 3161
TOKEN_BYTES = 64 * 1024


class NotSent(Exception):
    """It did not arrive; why, in a sentence."""


def configured() -> list[tuple[str, str]]:
    """The outlets of this installation: (outlet, target)."""
    found = []
    if settings.LONGCASE_ANCHOR_FOLDER:
        found.append(("folder", settings.LONGCASE_ANCHOR_FOLDER))
    if settings.LONGCASE_ANCHOR_TSA:  # before what would carry its stamp
        found.append(("stamp", settings.LONGCASE_ANCHOR_TSA))
    found += [("mail", address) for address in settings.LONGCASE_ANCHOR_MAIL]
    found += [("post", url) for url in settings.LONGCASE_ANCHOR_URLS]
    return [(outlet, target[:400]) for outlet, target in found]


def line_up(anchor: Anchor) -> None:
    """Have an anchor sent through each outlet; into a folder, all that are not there yet."""
    wanted = [(anchor.number, outlet, target) for outlet, target in configured()]
    for outlet, target in configured():
        if outlet == "folder":
            sent = AnchorSending.objects.filter(outlet=outlet, target=target)
            earlier = Anchor.objects.exclude(number__in=sent.values("anchor_id"))
            wanted += [(one, outlet, target) for one in earlier.values_list("number", flat=True)]
    AnchorSending.objects.bulk_create(
        [
            AnchorSending(anchor_id=number, outlet=outlet, target=target, next_try_at=clock.now())
            for number, outlet, target in dict.fromkeys(wanted)
        ],
        ignore_conflicts=True,
    )


def line_up_newest() -> None:
    """Do so for the newest anchor, where an outlet was added since it was made."""
    newest = anchors.newest()
    if newest is None:
        return
    there = set(newest.sendings.values_list("outlet", "target"))
    if set(configured()) - there:
        line_up(newest)


def _due() -> Any:
    now = clock.now()
    return AnchorSending.objects.filter(state="due", next_try_at__lte=now).filter(
        Q(lease_until=None) | Q(lease_until__lt=now)
    )


def is_any_due() -> bool:
    return _due().exists()


def try_now(anchor: Anchor) -> int:
    """Have what has not arrived tried at once."""
    return anchor.sendings.filter(state="due").update(next_try_at=clock.now())


def send_next() -> bool:
    """Send one that is due; False if none is."""
    with transaction.atomic():
        sending = _due().select_for_update(skip_locked=True).order_by("next_try_at").first()
        if sending is None:
            return False
        sending.lease_until = clock.now() + LEASE
        sending.save(update_fields=["lease_until"])
    try:
        answer = _SEND[sending.outlet](sending.anchor, sending.target)
    except Exception as error:  # whatever it is, it is shown, and tried again
        said = str(error) if isinstance(error, NotSent) else f"{type(error).__name__}: {error}"
        sending.tries += 1
        pause = PAUSES[min(sending.tries, len(PAUSES)) - 1]
        sending.next_try_at = clock.now() + timedelta(seconds=pause)
        sending.last_error = said.replace("\0", "")[:500]
        log.warning(
            "anchor_not_sent", extra={"anchor": sending.anchor_id, "outlet": sending.outlet}
        )
    else:
        sending.state, sending.done_at, sending.last_error = "done", clock.now(), ""
        sending.answer = answer
    sending.lease_until = None
    sending.save()
    return True


def file_of(anchor: Anchor) -> str:
    """An anchor as its file has it."""
    return json.dumps(anchor_record(anchor), separators=(",", ":")) + "\n"


# -- each way


def _to_folder(anchor: Anchor, target: str) -> None:
    elsewhere.write(anchor, Path(target), anchor_record(anchor), anchors.moved_texts(anchor.number))


def _by_mail(anchor: Anchor, target: str) -> None:
    with translation.override(settings.LANGUAGE_CODE):
        told = {"n": anchor.number, "day": anchor.day.isoformat()}
        mail = EmailMessage(
            subject=_("Longcase: anchor %(n)s of %(day)s") % told,
            body=_(
                "This mail holds where the history of every case ended, sealed and signed. Keep "
                "it: with it, anyone can show whether history was changed since. It holds nothing "
                "about anyone."
            )
            + f"\n\n{anchor.text}\n\n"
            + "\n".join(f"{one['key']} {one['signature']}" for one in anchor.signatures)
            + "\n",
            to=[target],
        )
    name = f"{elsewhere.file_name(anchor)}.json"
    mail.attach(name, file_of(anchor), "application/json")
    if not mail.send():
        raise NotSent(_("The mail was not taken."))


def _by_post(anchor: Anchor, target: str) -> None:
    with Line(target) as line:
        answer = line.post(
            body=file_of(anchor).encode(),
            headers={
                "content-type": "application/json",
                "user-agent": "Longcase",
                "idempotency-key": bytes(anchor.hash).hex(),
            },
            seconds=SECONDS,
        )
    if not 200 <= answer.status < 300:
        raise NotSent(answer.error or _("The answer was %(n)s.") % {"n": answer.status})


def _stamp(anchor: Anchor, target: str) -> bytes:
    """Have a time-stamp authority (RFC 3161) sign that the anchor's text was there by now."""
    text = anchor.text.encode()
    request = TimestampRequestBuilder().data(text).hash_algorithm(HashAlgorithm.SHA256).build()
    answer = httpx.post(
        target,
        content=request.as_bytes(),
        headers={"content-type": "application/timestamp-query"},
        timeout=SECONDS,
    )
    if answer.status_code != 200 or len(answer.content) > TOKEN_BYTES:
        raise NotSent(_("The answer was %(n)s.") % {"n": answer.status_code})
    try:
        stamped = decode_timestamp_response(answer.content)
    except ValueError as error:
        raise NotSent(_("The answer is no time stamp: %(why)s") % {"why": error}) from error
    if stamped.status != GRANTED:
        why = "; ".join(stamped.status_string) or str(stamped.status)
        raise NotSent(_("The authority refused: %(why)s") % {"why": why})
    imprint = stamped.tst_info.message_imprint.message
    if imprint != bytes(anchor.hash) or stamped.tst_info.nonce != request.nonce:
        raise NotSent(_("The stamp that came is of something else."))
    if settings.LONGCASE_ANCHOR_TSA_CA:
        _check_stamp(stamped, request, text)
    return stamped.time_stamp_token()


def _check_stamp(stamped: Any, request: Any, text: bytes) -> None:
    pem = Path(settings.LONGCASE_ANCHOR_TSA_CA).read_bytes()
    builder = VerifierBuilder.from_request(request)
    for certificate in x509.load_pem_x509_certificates(pem):
        builder = builder.add_root_certificate(certificate)
    try:
        builder.build().verify_message(stamped, text)
    except VerificationError as error:
        told = {"why": error}
        raise NotSent(_("The stamp is not by the authority we trust: %(why)s") % told) from error


_SEND: dict[str, Any] = {
    "folder": _to_folder,
    "mail": _by_mail,
    "post": _by_post,
    "stamp": _stamp,
}
