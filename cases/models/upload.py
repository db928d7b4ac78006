"""A document that comes in parts, until all of it is there."""

from __future__ import annotations

from django.db import models


class Upload(models.Model):
    """A large file on its way to be a document of a case. `offset` bytes of it are kept."""

    key = models.UUIDField(unique=True)
    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="+")
    caller = models.CharField(max_length=80)  # an actor
    name = models.CharField(max_length=80)  # of the document that it will be
    filename = models.CharField(max_length=200)
    size = models.BigIntegerField()
    offset = models.BigIntegerField(default=0)
    made_at = models.DateTimeField()
    ends_at = models.DateTimeField()  # dropped then, unless another part comes
    document = models.ForeignKey(
        "cases.Document", on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(offset__lte=models.F("size")), name="upload_within_its_size"
            ),
        ]
        indexes = [models.Index(fields=["ends_at"], name="upload_ends_at")]

    def __str__(self) -> str:
        return f"{self.filename} ({self.offset} of {self.size})"


class UploadPart(models.Model):
    """Some bytes of an upload, and where in storage they lie."""

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="parts")
    start = models.BigIntegerField()
    path = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["upload", "start"], name="upload_part_once"),
        ]

    def __str__(self) -> str:
        return self.path
