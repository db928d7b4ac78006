from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex, GinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _

from audit import codec, sealing


class EncodedData(Mapping[str, Any]):
    """The data of an event, read from its stored text when first looked into."""

    __slots__ = ("_data", "_of", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._of = (0, 0)
        self._data: dict[str, Any] | None = None

    def belongs_to(self, case_id: int, number: int) -> None:
        """Let no box of another event be opened for this one."""
        self._of = case_id, number

    def _decoded(self) -> dict[str, Any]:
        if self._data is None:
            self._data = sealing.decode(self.text, *self._of)
        return self._data

    def __getitem__(self, key: str) -> Any:
        return self._decoded()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._decoded())

    def __len__(self) -> int:
        return len(self._decoded())

    def __repr__(self) -> str:  # no data: representations end in logs
        return f"<data of {len(self.text)} characters>"


class EncodedDataField(models.TextField):
    """SQL text, not jsonb: it holds exactly the characters that the hash covers."""

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else EncodedData(value)

    def to_python(self, value: Any) -> Any:
        return EncodedData(value) if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> str | None:
        if isinstance(value, EncodedData):
            return value.text
        return codec.encode(value) if isinstance(value, Mapping) else value

    def value_to_string(self, obj: models.Model) -> str:
        return self.get_prep_value(self.value_from_object(obj)) or ""


class Event(models.Model):
    """One line of a case's history: append-only, numbered without gaps, chained by hash.

    Only audit.record writes here. The database refuses update, delete and truncate.
    """

    pk = models.CompositePrimaryKey("case_id", "number")
    case_id = models.BigIntegerField(_("case"))  # no foreign key: history knows no other app
    number = models.IntegerField(_("number"))
    type = models.TextField(_("type"))
    data = EncodedDataField(_("data"))
    actor = models.TextField(_("actor"))
    on_behalf = models.TextField(_("on behalf of"), blank=True, default="", db_default="")
    happened_at = models.DateTimeField(_("happened"))
    recorded_at = models.DateTimeField(_("recorded"))
    hash = models.BinaryField(_("hash"), max_length=32)

    class Meta:
        db_table = "audit_event"
        ordering = ["case_id", "number"]
        verbose_name = _("event")
        verbose_name_plural = _("events")
        indexes = [BrinIndex(fields=["recorded_at"], name="audit_event_recorded_at")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="audit_event_number_from_one"
            ),
            models.CheckConstraint(
                condition=~models.Q(actor="") & ~models.Q(type=""),
                name="audit_event_somebody_did_something",
            ),
        ]

    @classmethod
    def from_db(cls, db: Any, field_names: Any, values: Any) -> Any:
        event = super().from_db(db, field_names, values)
        known = event.__dict__
        if isinstance(data := known.get("data"), EncodedData):
            data.belongs_to(known.get("case_id", 0), known.get("number", 0))
        return event

    @property
    def erased_at(self) -> datetime | None:
        """When what is personal in it was erased, where it was."""
        return sealing.erased_at(self.data.text, self.case_id)

    def __str__(self) -> str:
        return f"{self.case_id}/{self.number} {self.type}"


class FeedRow(models.Model):
    """What one commit wrote of one case, at its place in the order of all. See audit/feed.py."""

    position = models.BigIntegerField(primary_key=True)
    case_id = models.BigIntegerField()
    first = models.IntegerField()
    last = models.IntegerField()

    class Meta:
        db_table = "audit_feed"


class Unnumbered(models.Model):
    """What one commit wrote of one case, and that has no place in the feed yet."""

    case_id = models.BigIntegerField()
    first = models.IntegerField()
    last = models.IntegerField()

    class Meta:
        db_table = "audit_unnumbered"


class CaseKey(models.Model):
    """The data key of a case, in the wrapping of a master key. See audit/keys.py, which writes it.

    The database refuses to delete one, to bring a destroyed one back, or to change whose it is.
    """

    case_id = models.BigIntegerField(primary_key=True)
    persons = ArrayField(models.BinaryField(), verbose_name=_("marks of the person"))
    master = models.TextField(_("master key"), blank=True)
    wrapped = models.BinaryField(_("wrapped key"), null=True)
    made_at = models.DateTimeField(_("made"))
    destroyed_at = models.DateTimeField(_("destroyed"), null=True)

    class Meta:
        db_table = "audit_casekey"
        verbose_name = _("key of a case")
        verbose_name_plural = _("keys of cases")
        indexes = [GinIndex(fields=["persons"], name="audit_casekey_persons")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(wrapped__isnull=True, destroyed_at__isnull=False)
                | models.Q(wrapped__isnull=False, destroyed_at__isnull=True),
                name="audit_casekey_is_kept_or_destroyed",
            ),
        ]


class Anchor(models.Model):
    """The sealed state of all cases at one moment, signed. Append-only; see audit/anchors.py."""

    number = models.IntegerField(primary_key=True)
    day = models.DateField(_("day"))
    made_at = models.DateTimeField(_("made"))
    text = models.TextField()  # what is signed, sign for sign
    hash = models.BinaryField(max_length=32)  # SHA-256 of the text, which the next one names
    signatures = models.JSONField()  # [{"key": …, "signature": …}], the signing key's first
    position = models.BigIntegerField()  # of the feed, up to which it holds all

    class Meta:
        db_table = "audit_anchor"
        ordering = ["number"]

    def __str__(self) -> str:
        return f"anchor {self.number}"


class AnchoredHead(models.Model):
    """Where the history of a case ended at an anchor; a row only where it moved. Append-only."""

    pk = models.CompositePrimaryKey("case_id", "anchor")
    case_id = models.BigIntegerField()
    anchor = models.IntegerField()
    number = models.IntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta:
        db_table = "audit_anchored_head"
        indexes = [models.Index(fields=["anchor", "case_id"], name="audit_head_by_anchor")]


class AnchoredPage(models.Model):
    """The tree over one page of cases at an anchor; a row only where it changed. Append-only."""

    pk = models.CompositePrimaryKey("page", "anchor")
    page = models.BigIntegerField()
    anchor = models.IntegerField()
    cases = models.IntegerField()
    events = models.BigIntegerField()
    root = models.BinaryField(max_length=32)

    class Meta:
        db_table = "audit_anchored_page"


class AnchorSending(models.Model):
    """An anchor on its way to a place outside. See audit/outlets.py."""

    anchor = models.ForeignKey(Anchor, on_delete=models.PROTECT, related_name="sendings")
    outlet = models.CharField(max_length=8)  # folder, mail, post, stamp
    target = models.CharField(max_length=400)
    state = models.CharField(max_length=8, default="due")  # due, done, stopped
    tries = models.IntegerField(default=0)
    next_try_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)  # a worker has it until then
    done_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=500, default="", blank=True)
    answer = models.BinaryField(null=True)  # a time stamp's token

    class Meta:
        db_table = "audit_anchor_sending"
        constraints = [
            models.UniqueConstraint(
                fields=["anchor", "outlet", "target"], name="audit_anchor_sent_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_try_at"],
                condition=models.Q(state="due"),
                name="audit_anchor_to_be_sent",
            ),
        ]

    def __str__(self) -> str:
        return f"anchor {self.anchor_id} to {self.target}"


class Read(models.Model):
    """One answer that showed something, or one refusal: who was shown what. Append-only.

    It holds ids, digests and marks alone, nothing that a person could be known by but the number
    of who read. Only audit.reads writes here. See docs/readlog.md.
    """

    at = models.DateTimeField(_("at"))
    actor = models.TextField(_("actor"))  # person:7, service:portal, party:applicant, system:root
    on_behalf = models.TextField(_("on behalf of"), blank=True, default="")
    through = models.TextField(_("through"))  # page, api, customer, webhook, command
    what = models.TextField(_("what"))  # the name of the page, of the call, of the command
    item = models.TextField(_("item"), blank=True, default="")  # numbers within it: pk:7 number:2
    outcome = models.TextField(_("outcome"))  # shown, refused, not_found
    # No foreign keys: the log knows no other app, and outlives what it tells of.
    case_id = models.BigIntegerField(_("case"), null=True)  # what it is about
    case_number = models.IntegerField(_("event"), null=True)  # its last event then
    case_ids = ArrayField(models.BigIntegerField(), verbose_name=_("cases"), null=True)  # others
    purpose = models.TextField(_("purpose"), blank=True, default="")
    digest = models.BinaryField(_("digest"), max_length=32, null=True)  # SHA-256 of the answer
    marks = ArrayField(models.UUIDField(), verbose_name=_("marks"), null=True)  # of search words

    class Meta:
        db_table = "audit_read"
        ordering = ["id"]
        indexes = [
            BrinIndex(fields=["at"], name="audit_read_at"),
            models.Index(fields=["actor", "at"], name="audit_read_by_actor"),
            models.Index(
                fields=["case_id", "id"],
                name="audit_read_by_case",
                condition=models.Q(case_id__isnull=False),
            ),
            GinIndex(
                fields=["case_ids"],
                name="audit_read_by_cases",
                condition=models.Q(case_ids__isnull=False),
            ),
            GinIndex(
                fields=["marks"],
                name="audit_read_by_marks",
                condition=models.Q(marks__isnull=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(actor="") & ~models.Q(what=""),
                name="audit_read_somebody_saw_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk} {self.actor} {self.what}"


class ReadSeal(models.Model):
    """Seals rows of the read log, and the seal before it. Append-only. See audit/readseals.py."""

    number = models.IntegerField(primary_key=True)  # without gaps, from 1
    kind = models.TextField()  # rows; dropped: a month that was given up, by whom
    month = models.DateField()  # of its rows
    sealed_at = models.DateTimeField()
    ids = models.TextField(default="")  # an int8multirange of the rows' ids
    rows = models.IntegerField(default=0)
    first_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
    digest = models.BinaryField(max_length=32)
    by = models.TextField(default="", blank=True)
    hash = models.BinaryField(max_length=32)

    class Meta:
        db_table = "audit_read_seal"
        ordering = ["number"]

    def __str__(self) -> str:
        return f"seal {self.number} of the read log"
