"""Outside work of a case that failed, in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from cases import dates


@dataclass(frozen=True, slots=True)
class Retry:
    """Outside work of which an attempt has failed."""

    failed: int
    most: int
    next_at: datetime | None  # None: being tried right now, or not any more by itself
    is_stopped: bool
    error: str

    @property
    def cause(self) -> str:
        """What came, without the name that the error has in code."""
        if not self.error:
            return _("the worker that did it was lost")
        name, colon, words = self.error.partition(": ")
        return (words if colon and name.isidentifier() else self.error)[:300].rstrip(".")

    def words(self, now: datetime) -> str:
        """In a sentence: how often, what came, and when it is tried next."""
        if self.is_stopped:
            if self.failed >= self.most:
                said = _("Attempt %(n)s of %(most)s failed, the last one: %(cause)s.")
            else:
                said = _("Refused for good at attempt %(n)s: %(cause)s. Not tried again by itself.")
            return said % {"n": self.failed, "most": self.most, "cause": self.cause}
        said = _("Attempt %(n)s of %(most)s failed: %(cause)s.") % {
            "n": self.failed,
            "most": self.most,
            "cause": self.cause,
        }
        if self.next_at is None or self.next_at <= now:
            then = _("It is being tried again.")
        else:
            then = _("Next try: %(at)s.") % {"at": dates.moment(self.next_at)}
        return f"{said} {then}"
