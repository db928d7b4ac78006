"""The mail that tells a person, once a day or a week, what they have not read.

It is made at `LONGCASE_DIGEST_HOUR` of the organisation's day, with what was written before that
hour; later when nothing ran then. Its row is written first: one for each person and day, whoever
makes it. A maker who dies leaves a row that is sent after ten minutes, under the same Message-ID,
so that a mail which had left already is known for the same.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from email.utils import parseaddr
from itertools import groupby

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases import absence, dates, noticeboard
from cases.models import Digest, Notice, Person
from timers import clock

LINES = 100  # of one mail; the page has the rest
LOOKS_BACK = timedelta(days=7)  # of the first digest of a person
LEFT_AFTER = timedelta(minutes=10)  # a maker who has not sent it by then is dead
BATCH = 50
log = logging.getLogger("longcase.digests")


def send_due() -> int:
    """Make and send the digests that are due; send those that were left. Run by the timer
    service; safe to run twice. Returns how many were sent."""
    return sum(_send(pk) for pk in [*_left(), *_make()])


def _hour_of(day: date) -> datetime:
    """The hour of the digest on this day, where the organisation works."""
    naive = datetime.combine(day, time(settings.LONGCASE_DIGEST_HOUR))
    return timezone.make_aware(naive)


def _make() -> list[int]:
    today = absence.today()
    if clock.now() < _hour_of(today):
        return []
    made: list[int] = []
    wants = Person.objects.filter(is_active=True).exclude(email="").exclude(digest="never")
    for person in wants.order_by("pk").iterator():
        monday = today - timedelta(days=today.weekday())
        day = monday if person.digest == Digest.How.WEEKLY else today
        if not Digest.objects.filter(person=person, day=day).exists():
            with translation.override(person.reads_in):
                made += _make_one(person, day)
    return made


def _make_one(person: Person, day: date) -> list[int]:
    if absence.away_now([person]):
        return []  # whoever stands in has it; the rest waits for the return
    until = _hour_of(day)
    last = Digest.objects.filter(person=person).order_by("-until").first()
    since = last.until if last else until - LOOKS_BACK
    if since >= until:
        return []
    news = noticeboard.unread(person).filter(written_at__gte=since, written_at__lt=until)
    notices = list(news.select_related("case")[: LINES + 1])
    if not notices:
        return []
    subject = ngettext(
        "Longcase: %(n)s thing to know", "Longcase: %(n)s things to know", len(notices)
    ) % {"n": f"{LINES}+" if len(notices) > LINES else len(notices)}
    row, is_new = Digest.objects.get_or_create(
        person=person,
        day=day,
        defaults={
            "until": until,
            "subject": subject,
            "text": text_of(notices),
            "claimed_at": clock.now(),
        },
    )
    return [row.pk] if is_new else []


def text_of(notices: Sequence[Notice]) -> str:
    """The mail: grouped by kind, each with the address of its case."""
    order = list(noticeboard.KINDS)
    shown = sorted(notices[:LINES], key=lambda one: order.index(_kind(one)))
    parts = []
    for kind, group in groupby(shown, key=_kind):
        lines = [f"{noticeboard.KINDS[kind]}:"]
        for one in group:
            lines.append(f"- {dates.day(one.written_at)}  {one.text}")
            lines.append(f"  {settings.LONGCASE_PUBLIC_URL}{one.case.get_absolute_url()}")
        parts.append("\n".join(lines))
    if len(notices) > LINES:
        parts.append(_("There is more on the page."))
    all_of_it, wishes = _("All of it:"), _("What you get, and how often, is yours to say:")
    here = settings.LONGCASE_PUBLIC_URL
    parts.append(f"{all_of_it} {here}{reverse('notices')}")
    parts.append(f"{wishes} {here}{reverse('notice-settings')}")
    return "\n\n".join(parts) + "\n"


def _kind(notice: Notice) -> str:
    return notice.kind if notice.kind in noticeboard.KINDS else "other"


def _left() -> list[int]:
    """Those whose maker died before it had sent them."""
    before = clock.now() - LEFT_AFTER
    found = Digest.objects.filter(sent_at=None, claimed_at__lt=before).order_by("pk")
    return list(found.values_list("pk", flat=True)[:BATCH])


def _send(pk: int) -> int:
    """Send one, unless another is at it. Trouble with the mail leaves it for the next round."""
    with transaction.atomic():
        found = Digest.objects.select_for_update(skip_locked=True, of=("self",))
        row = found.select_related("person").filter(pk=pk, sent_at=None).first()
        if row is None:
            return 0
        try:
            _mail(row)
        except OSError as error:
            log.warning("digest_not_sent", extra={"digest": row.pk, "why": type(error).__name__})
            row.claimed_at = clock.now()
            row.save(update_fields=["claimed_at"])
            return 0
        row.sent_at = clock.now()
        row.save(update_fields=["sent_at"])
    return 1


def _mail(row: Digest) -> None:
    host = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    EmailMessage(
        subject=row.subject,
        body=row.text,
        to=[row.person.email],
        headers={"Message-ID": f"<digest.{row.person_id}.{row.day}@{host}>"},
    ).send()
