"""Cases taken away in a file: who asked, for what and why, which cases are in it, and the file."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from cases.fields import DataField


class Export(models.Model):
    """One file of cases, asked for by a person or a program. The row stays when the file is gone:
    it tells who took which cases away, when and why."""

    client = models.ForeignKey(
        "cases.Client", on_delete=models.PROTECT, null=True, related_name="+"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    token = models.ForeignKey("cases.Token", on_delete=models.SET_NULL, null=True, related_name="+")
    scopes = DataField(null=True)  # that the token is cut down to; null: it is not, or none
    on_behalf = models.CharField(max_length=80, default="", blank=True)
    form = models.CharField(max_length=20)  # see processes/exports/formats.py
    options = DataField(default=dict)
    what = models.CharField(max_length=12)  # case, cases, list, everything
    told = models.CharField(max_length=400, default="", blank=True)  # the choice, in words
    reason = models.CharField(max_length=500)
    language = models.CharField(max_length=10, default="", blank=True)
    made_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)  # somebody carries it on until then
    failed = models.TextField(default="", blank=True)  # why there is no file
    cancelled_by = models.CharField(max_length=80, default="", blank=True)  # an actor
    count = models.IntegerField()  # cases
    path = models.CharField(max_length=200, default="", blank=True)  # in storage
    filename = models.CharField(max_length=200, default="", blank=True)
    size = models.BigIntegerField(null=True)  # bytes
    digest = models.CharField(max_length=64, default="", blank=True)  # SHA-256 of the file, hex
    events = models.BigIntegerField(null=True)  # in the file
    variants = models.IntegerField(null=True)  # different ways through, by the names of activities
    expires_at = models.DateTimeField(null=True)
    removed_at = models.DateTimeField(null=True)  # when the file was taken away
    removed_by = models.CharField(max_length=80, default="", blank=True)  # an actor

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(client__isnull=True) ^ models.Q(person__isnull=True),
                name="export_of_a_client_or_a_person",
            ),
        ]
        indexes = [
            models.Index(
                fields=["made_at"],
                condition=models.Q(ended_at__isnull=True),
                name="export_under_way",
            ),
            models.Index(
                fields=["expires_at"],
                condition=models.Q(removed_at__isnull=True) & ~models.Q(path=""),
                name="export_with_a_file",
            ),
        ]

    def __str__(self) -> str:
        return f"export {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("export", args=[self.pk])

    @property
    def state(self) -> str:
        """waiting, running, done, failed, cancelled or removed."""
        if self.cancelled_by:
            return "cancelled"
        if self.failed:
            return "failed"
        if self.removed_at is not None:
            return "removed"
        if self.ended_at is not None:
            return "done"
        return "running" if self.begun_at is not None else "waiting"


class ExportCase(models.Model):
    """One case of an export, kept as long as the export: whose data went where."""

    export = models.ForeignKey(Export, on_delete=models.PROTECT, related_name="cases")
    place = models.IntegerField()
    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["export", "place"], name="export_place")]

    def __str__(self) -> str:
        return f"case {self.case_id} of export {self.export_id}"


class ExportPart(models.Model):
    """Some cases of an export that is under way, written ready for its format. Work that broke off
    goes on behind the last one."""

    export = models.ForeignKey(Export, on_delete=models.CASCADE, related_name="parts")
    first = models.IntegerField()  # place of a case
    last = models.IntegerField()
    path = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["export", "first"], name="export_part_once")]

    def __str__(self) -> str:
        return f"part {self.first}-{self.last} of export {self.export_id}"
