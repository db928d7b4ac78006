"""What a case needs on paper, and what came in."""

from __future__ import annotations

from django.db import models
from django.urls import reverse

from cases.fields import DataField


class Requirement(models.Model):
    """One document that a case asked for. Its state is that of its newest version."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="requirements")
    name = models.CharField(max_length=80)  # "payslip"
    title = models.CharField(max_length=200)
    asked_of = models.CharField(max_length=80, default="applicant")
    asked_at = models.DateTimeField()
    reminded_at = models.DateTimeField(null=True)
    reminders = models.IntegerField(default=0)
    state = models.CharField(max_length=12, default="asked")  # asked, received, accepted, rejected
    reason = models.TextField(default="")  # why it was asked again or rejected
    is_open = models.BooleanField(default=True)  # false once its step was left without it

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "name"], name="requirement_once"),
        ]

    def __str__(self) -> str:
        return self.title


class Document(models.Model):
    """One version of one document. The bytes lie in storage under their digest."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="documents")
    name = models.CharField(max_length=80)  # the requirement it answers, or "other"
    version = models.IntegerField()
    filename = models.CharField(max_length=255)
    media_type = models.CharField(max_length=120)
    size = models.BigIntegerField()  # bytes
    digest = models.CharField(max_length=64)  # SHA-256, hex
    state = models.CharField(max_length=12, default="received")  # received, accepted, rejected
    reason = models.TextField(default="")
    received_at = models.DateTimeField()
    received_from = models.CharField(max_length=80)  # an actor
    judged_at = models.DateTimeField(null=True)
    judged_by = models.CharField(max_length=80, default="")
    remarks = DataField(default=list)  # what was noticed of its content; see cases/remarks.py
    pages = models.IntegerField(null=True)  # of a PDF that could be read
    dated_date = models.DateField(null=True)  # the day that is written on it
    valid_until_date = models.DateField(null=True)  # the last day on which it counts
    lost_at = models.DateTimeField(null=True)  # when its bytes were found missing or altered

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "name", "version"], name="document_version"),
        ]
        indexes = [
            models.Index(fields=["digest"], name="document_digest"),
            models.Index(
                fields=["valid_until_date"],
                condition=models.Q(state="accepted", valid_until_date__isnull=False),
                name="document_valid_until",
            ),
            models.Index(
                fields=["lost_at"], condition=models.Q(lost_at__isnull=False), name="document_lost"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.filename} (version {self.version})"

    def get_absolute_url(self) -> str:
        return reverse("document", args=[self.pk])
