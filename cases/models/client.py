"""Programs that call the API, the tokens of programs and people, and what was answered to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from cases.fields import DataField


class Client(models.Model):
    """An integrator's service account. Never deleted: history names it as `service:NAME`.

    A scope is an act and the kinds it is for: `read:loan`, `open:*`. See processes/acts/clients.py.
    """

    name = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    scopes = DataField(default=list)
    team = models.ForeignKey(  # only the cases of this team, where there is one
        "cases.Team", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    is_active = models.BooleanField(default=True)
    made_at = models.DateTimeField()
    made_by = models.CharField(max_length=80)  # an actor
    # The secret that its signed messages carry is derived from these and the installation's key.
    signing_salt = models.CharField(max_length=32, default="", blank=True)
    signing_before = models.CharField(max_length=32, default="", blank=True)
    signing_until = models.DateTimeField(null=True)  # up to then the one before is good too

    def __str__(self) -> str:
        return self.title or self.name

    def has_scope(self, act: str, kind: str = "") -> bool:
        return has_scope(self.scopes, act, kind)


def has_scope(scopes: list[str], act: str, kind: str = "") -> bool:
    """Whether these scopes hold an act for a kind; for any kind when none is named."""
    found = [kinds for one, _, kinds in (scope.partition(":") for scope in scopes) if one == act]
    return bool(found) if not kind else kind in found or "*" in found


class Token(models.Model):
    """A key to the API, of a program or a person. Only its digest is kept.

    A secret opens nothing by itself: a program trades it for tokens of an hour (OAuth 2), each of
    which ends with the secret it was bought with.
    """

    client = models.ForeignKey(Client, on_delete=models.PROTECT, null=True, related_name="tokens")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="tokens"
    )
    title = models.CharField(max_length=120, default="", blank=True)
    start = models.CharField(max_length=12)  # its first characters, to recognise it by
    digest = models.CharField(max_length=64, unique=True)  # SHA-256, hex
    scopes = DataField(default=list)  # of a person's token; of a program's, what it is cut down to
    is_secret = models.BooleanField(default=False)
    bought_with = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="bought"
    )
    made_at = models.DateTimeField()
    made_by = models.CharField(max_length=80)
    ends_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.CharField(max_length=80, default="", blank=True)
    used_at = models.DateTimeField(null=True)  # to the hour

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(client__isnull=True) ^ models.Q(person__isnull=True),
                name="token_of_a_client_or_a_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.start}…"


class KeptAnswer(models.Model):
    """The first answer to a call that changed something, by the key it was sent with."""

    caller = models.CharField(max_length=80)  # an actor
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)  # of method, address and content
    status = models.IntegerField(default=0)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=bytes)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["caller", "key"], name="kept_answer_once"),
        ]
        indexes = [models.Index(fields=["at"], name="kept_answer_at")]


class CallCount(models.Model):
    """How many calls somebody made in one minute."""

    caller = models.CharField(max_length=80)
    minute = models.BigIntegerField()  # since 1970
    calls = models.IntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["caller", "minute"], name="call_count_once"),
        ]
