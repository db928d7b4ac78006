"""The page of a party of a case: its address, and who came in there."""

from __future__ import annotations

from datetime import datetime

from django.db import models


class CustomerPage(models.Model):
    """The page on which one party of a case follows it. There is one at a time for each party.

    The address is signed and holds `token`; `given_with` is what gave it: the key of the letter
    that carried it, or the event of the act.
    """

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="customer_pages")
    party = models.CharField(max_length=80)  # "applicant": the actor of what is done there
    name = models.CharField(max_length=200)
    email = models.EmailField(blank=True, default="")
    phone = models.CharField(max_length=40, blank=True, default="")
    token = models.CharField(max_length=43, unique=True)
    given_with = models.CharField(max_length=120, unique=True)
    given_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    entered_at = models.DateTimeField(null=True)  # the last time that somebody came in

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "party"],
                condition=models.Q(revoked_at__isnull=True),
                name="customer_page_once",
            ),
        ]

    def __str__(self) -> str:
        return f"page of {self.party}, case {self.case_id}"

    def is_open_at(self, moment: datetime) -> bool:
        return self.revoked_at is None and moment < self.expires_at


class PageEntry(models.Model):
    """One browser that asked for a code, and came in with it. Code and cookie are kept as
    fingerprints."""

    page = models.ForeignKey(CustomerPage, on_delete=models.CASCADE, related_name="entries")
    secret_digest = models.CharField(max_length=64, unique=True)  # of the cookie
    code_digest = models.CharField(max_length=64, blank=True, default="")  # empty once used
    code_until = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    asked_at = models.DateTimeField()
    entered_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["page", "asked_at"], name="page_entry_asked")]

    def __str__(self) -> str:
        return f"entry {self.pk} of page {self.page_id}"
