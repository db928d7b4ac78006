"""Webhooks: who gets events sent, how far they are, and each try."""

from __future__ import annotations

from django.db import models

from cases.fields import DataField


class Webhook(models.Model):
    """An address to which the events that its account may read are sent, in the feed's order.

    It is a place in the feed (`position`, `number`: sent up to and including that event), so
    nothing is queued for it and nothing can be lost for it. States: *active*, *paused* (`why`),
    *ended*.
    """

    client = models.ForeignKey("cases.Client", on_delete=models.PROTECT, related_name="webhooks")
    title = models.CharField(max_length=120, default="", blank=True)
    url = models.CharField(max_length=2000)
    kinds = DataField(default=list)  # of cases; empty: all that the account may read
    types = DataField(default=list)  # of events; empty: all
    state = models.CharField(max_length=8, default="active")
    why = models.CharField(max_length=400, default="", blank=True)
    paused_at = models.DateTimeField(null=True)
    told_at = models.DateTimeField(null=True)  # when people were told that it was paused

    # Its secret is derived from these and the installation's key: none stands in the database.
    salt = models.CharField(max_length=32)
    salt_before = models.CharField(max_length=32, default="", blank=True)
    before_until = models.DateTimeField(null=True)  # up to then the one before is used too

    position = models.BigIntegerField(default=0)
    number = models.IntegerField(default=0)
    tries = models.IntegerField(default=0)  # of the event that is next, failed in a row
    failing_since = models.DateTimeField(null=True)
    next_try_at = models.DateTimeField(null=True)
    test_id = models.CharField(max_length=60, default="", blank=True)  # a test that is asked for
    last_ms = models.IntegerField(default=0)  # that the last try took
    claimed_by = models.CharField(max_length=60, default="", blank=True)
    lease_until = models.DateTimeField(null=True)  # in real time, whatever a demo's clock says
    worked_at = models.DateTimeField(null=True)  # as well

    made_at = models.DateTimeField()
    made_by = models.CharField(max_length=80)  # an actor

    class Meta:
        app_label = "processes"

    def __str__(self) -> str:
        return self.title or self.url


class WebhookAttempt(models.Model):
    """One try to send one event, and what came of it. Kept for thirty days."""

    webhook = models.ForeignKey(Webhook, on_delete=models.PROTECT, related_name="attempts")
    event_id = models.CharField(max_length=80)  # the webhook-id
    type = models.CharField(max_length=80)
    case = models.CharField(max_length=40, default="", blank=True)  # its reference
    attempt = models.IntegerField()
    at = models.DateTimeField()
    ms = models.IntegerField()
    status = models.IntegerField(default=0)  # 0: no answer came
    is_delivered = models.BooleanField()
    answer = models.CharField(max_length=500, default="", blank=True)  # the first of it
    error = models.CharField(max_length=300, default="", blank=True)

    class Meta:
        app_label = "processes"
        indexes = [
            models.Index(fields=["webhook", "-id"], name="webhook_attempt_latest"),
            models.Index(fields=["at"], name="webhook_attempt_at"),
        ]
