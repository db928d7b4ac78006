"""Letters to parties, and the templates that the organisation writes its own from."""

from __future__ import annotations

from hashlib import sha256

from django.conf import settings
from django.db import models
from django.urls import reverse


class LetterTemplate(models.Model):
    """A letter that staff write from, for one kind or for all, in one language.

    Its text is that of its newest version; a letter keeps the version it was written from.
    """

    name = models.SlugField(max_length=60)
    kind = models.CharField(max_length=40, default="", blank=True)  # empty: every kind
    language = models.CharField(max_length=10)
    title = models.CharField(max_length=120)  # for staff; the subject is the reader's
    is_active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["name", "kind", "language"], name="letter_template_once"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("letter-template", args=[self.pk])


class TemplateVersion(models.Model):
    """One text of a template. Never changed: letters name it."""

    template = models.ForeignKey(LetterTemplate, on_delete=models.PROTECT, related_name="versions")
    version = models.IntegerField()
    subject = models.CharField(max_length=200)
    text = models.TextField()
    written_at = models.DateTimeField()
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["template", "version"], name="letter_template_version_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.template} (version {self.version})"


def fingerprint_of(subject: str, text: str) -> str:
    """What the event of a letter keeps of its text: SHA-256."""
    return sha256(f"{subject}\n{text}".encode()).hexdigest()


class Letter(models.Model):
    """A letter to a party: written once per key, kept with the case, and sent by mail or post.

    States: *due* (to be mailed), *sent*, *to_post* (there is no e-mail address), *posted*, and
    *undelivered* (the mail refuses it; `why_not` says why). One without a case answers a message.
    """

    case = models.ForeignKey(
        "cases.Case", on_delete=models.PROTECT, related_name="letters", null=True
    )
    key = models.CharField(max_length=120, unique=True)  # of the activity that wrote it
    template = models.CharField(max_length=80)
    # The party whose page shows it; empty for letters to others.
    party = models.CharField(max_length=80, blank=True, default="")
    version = models.ForeignKey(TemplateVersion, on_delete=models.PROTECT, null=True)
    to_name = models.CharField(max_length=200)
    to_email = models.EmailField(blank=True, default="")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    written_at = models.DateTimeField()
    written_by = models.CharField(max_length=80, default="", blank=True)  # an actor
    state = models.CharField(max_length=12, default="due")
    why_not = models.TextField(default="", blank=True)  # how the last try ended, unless well
    tries = models.IntegerField(default=0)
    tried_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)  # or posted
    sent_by = models.CharField(max_length=80, default="", blank=True)  # who posted it

    class Meta:
        indexes = [
            models.Index(
                fields=["state", "written_at"],
                condition=models.Q(state__in=["due", "to_post", "undelivered"]),
                name="letter_not_sent",
            ),
        ]

    def __str__(self) -> str:
        return self.subject

    def get_absolute_url(self) -> str:
        return reverse("letter", args=[self.pk])
