"""Telling people that a webhook was paused, so that nobody finds out by what did not come."""

from __future__ import annotations

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse
from django.utils.translation import gettext as _

from cases import access
from cases.models import Person
from cases.words import person_ids
from processes.models import Webhook
from timers import clock


def tell_paused() -> int:
    """Write to who made a webhook and to all operators and administrators, once for each pause."""
    told = 0
    for hook in Webhook.objects.filter(state="paused", told_at=None).select_related("client")[:50]:
        address = f"{settings.LONGCASE_PUBLIC_URL}{reverse('webhook', args=[hook.pk])}"
        send_mail(
            _("The webhook “%(hook)s” was paused") % {"hook": hook},
            _(
                "%(why)s\n\nNothing is lost: what happens meanwhile is kept and sent in order as "
                "soon as the webhook is resumed, here:\n%(address)s\n"
            )
            % {"why": hook.why, "address": address},
            None,
            sorted(_readers(hook)) or [settings.DEFAULT_FROM_EMAIL],
        )
        Webhook.objects.filter(pk=hook.pk, paused_at=hook.paused_at).update(told_at=clock.now())
        told += 1
    return told


def _readers(hook: Webhook) -> set[str]:
    people = Person.objects.filter(is_active=True).exclude(email="")
    makers = people.filter(pk__in=person_ids([hook.made_by, hook.client.made_by]))
    roles = people.filter(groups__name__in=[access.OPERATOR, access.ADMINISTRATOR])
    return {one.email for one in [*makers, *roles]}
