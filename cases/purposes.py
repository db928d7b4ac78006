"""For what a restricted case is opened: a closed list, so that the read log keeps a word of it and
no text. Why in this case is told in the event."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

PURPOSES = {
    "audit": _("Audit or inspection"),
    "complaint": _("Complaint or objection"),
    "cover": _("Work in place of a colleague who is away"),
    "request": _("The person concerned asks about their data"),
    "repair": _("Mending a fault"),
    "danger": _("Somebody is in danger"),
}
