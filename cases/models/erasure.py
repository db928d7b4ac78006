"""How long cases are kept, what holds them, and how they are erased when their time has come."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.fields import DataField


class RetentionRule(models.Model):
    """How long cases of a kind that ended so are kept, where an administrator says other than the
    kind. Who changed it, when and why is in `AccountChange`."""

    kind = models.CharField(max_length=40)
    ending = models.CharField(max_length=60, default="", blank=True)  # outcome or step; "": others
    months = models.PositiveIntegerField()
    since = models.CharField(max_length=60)  # "closed", or the name of a fact that is a date
    basis = models.TextField()  # the law or the policy

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "ending"], name="retention_rule_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.ending}".strip()


class Hold(models.Model):
    """That a case must not be destroyed, whatever its date: until the hold is lifted.

    One `of_person` also holds every other case that names the same person, also later ones.
    """

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="holds")
    of_person = models.BooleanField(default=False)
    batch = models.UUIDField()  # holds that were placed together are lifted together
    reason = models.TextField()
    number = models.IntegerField()  # the event that recorded it
    placed_at = models.DateTimeField()
    placed_by = models.CharField(max_length=80)  # an actor
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.CharField(max_length=80, default="", blank=True)
    lifted_why = models.TextField(default="", blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["case"], condition=models.Q(lifted_at__isnull=True), name="hold_stands"
            ),
            models.Index(fields=["batch"], name="hold_batch"),
        ]

    def __str__(self) -> str:
        return f"hold of case {self.case_id}"


class Destruction(models.Model):
    """Cases that are to be erased: a list of those whose date has come, or the request of a person.

    Two people approve it, one after the other; then workers carry it out, a case a commit. A row
    that was done stays done, however often a run goes on.
    """

    class What(models.TextChoices):
        LIST = "list", _("Destruction list")
        REQUEST = "request", _("Request of a person")

    what = models.CharField(max_length=8, choices=What.choices)
    asked_at = models.DateTimeField()
    asked_by = models.CharField(max_length=80)  # an actor: a person, or Longcase each day
    reason = models.TextField(default="", blank=True)  # of a request; it names nobody
    basis = models.TextField(default="", blank=True)  # the law that a request rests on
    stays = models.BooleanField(default=False)  # a request: what is not due yet is done when it is
    first_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    first_at = models.DateTimeField(null=True)
    second_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    second_at = models.DateTimeField(null=True)
    dropped_at = models.DateTimeField(null=True)
    dropped_by = models.CharField(max_length=80, default="", blank=True)
    dropped_why = models.TextField(default="", blank=True)
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)  # carried out, or dropped
    looked_at = models.DateTimeField(null=True)  # when what stays was last tried
    lease_until = models.DateTimeField(null=True)  # a worker carries it on until then

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(second_by__isnull=True)
                | models.Q(first_by__isnull=False) & ~models.Q(second_by=models.F("first_by")),
                name="destruction_by_two",
            ),
        ]
        indexes = [
            models.Index(
                fields=["asked_at"],
                condition=models.Q(ended_at__isnull=True),
                name="destruction_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_what_display()} {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("destruction", args=[self.pk])

    @property
    def state(self) -> str:
        """review, approved (by one), running, done or dropped."""
        if self.dropped_at is not None:
            return "dropped"
        if self.ended_at is not None:
            return "done"
        if self.second_at is not None:
            return "running"
        return "approved" if self.first_at is not None else "review"


class DestructionRow(models.Model):
    """One case of a list or request, and what became of it."""

    class State(models.TextChoices):
        LISTED = "listed", _("To be erased")
        OFF = "off", _("Taken off")
        ERASED = "erased", _("Erased")
        REFUSED = "refused", _("Not erased")

    destruction = models.ForeignKey(Destruction, on_delete=models.PROTECT, related_name="rows")
    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=8, choices=State.choices, default=State.LISTED)
    why = models.TextField(default="", blank=True)  # taken off, or refused
    settled_at = models.DateTimeField(null=True)
    settled_by = models.CharField(max_length=80, default="", blank=True)  # who took it off

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["destruction", "case"], name="destruction_row_once"),
        ]
        indexes = [
            models.Index(fields=["destruction", "state", "id"], name="destruction_row_state"),
            models.Index(fields=["case"], name="destruction_row_case"),
        ]

    def __str__(self) -> str:
        return f"case {self.case_id} of destruction {self.destruction_id}"


class Erasure(models.Model):
    """The certificate that a case was erased: what, on which ground, by whom. It names no person
    but those who decided."""

    number = models.CharField(max_length=40, unique=True)
    case = models.OneToOneField("cases.Case", on_delete=models.PROTECT, related_name="erasure")
    erased_at = models.DateTimeField()
    ground = models.CharField(max_length=8)  # list, request, apply
    basis = models.TextField()
    kept_until_date = models.DateField(null=True)  # the last day on which it had to be kept
    first_by = models.CharField(max_length=80)  # an actor
    second_by = models.CharField(max_length=80)
    destruction = models.ForeignKey(Destruction, on_delete=models.PROTECT, null=True)
    event_number = models.IntegerField()  # of the event that tells it
    events = models.IntegerField()  # that were there, whose personal texts nobody can read any more
    key_destroyed = models.BooleanField(default=False)
    counts = DataField(default=dict)  # table → rows overwritten or deleted
    digests = DataField(default=list)  # of its documents, SHA-256
    files_gone_at = models.DateTimeField(null=True)  # when the files without another owner were
    files = DataField(default=dict)  # digest → deleted, shared, missing
    paths = DataField(default=list)  # of parts of uploads, to be deleted

    class Meta:
        indexes = [
            models.Index(
                fields=["id"],
                condition=models.Q(files_gone_at__isnull=True),
                name="erasure_files_left",
            ),
        ]

    def __str__(self) -> str:
        return self.number

    def get_absolute_url(self) -> str:
        return reverse("certificate", args=[self.number])
