"""What was noticed of a file's content when it came in, in sentences for whoever judges it."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

DAMAGED = "damaged"
LOCKED = "locked"
SCRIPT = "script"
ATTACHMENTS = "attachments"
OTHER_CONTENT = "other_content"
ARCHIVE = "archive"
LARGE_PICTURE = "large_picture"

_SENTENCES = {
    DAMAGED: gettext_lazy("The file is damaged: part of it may be missing or not be shown."),
    LOCKED: gettext_lazy("The file is locked with a password: ask the sender for one without."),
    SCRIPT: gettext_lazy("The file carries script. Longcase never runs it; open it with care."),
    ATTACHMENTS: gettext_lazy("Other files are attached inside it; nobody has looked at them."),
    OTHER_CONTENT: gettext_lazy("The content is not what the ending of its name says."),
    ARCHIVE: gettext_lazy("It is an archive; nobody has looked at the files inside."),
    LARGE_PICTURE: gettext_lazy("The picture is too large to be shown here; it can be downloaded."),
}


def sentences(remarks: Iterable[str]) -> list[str]:
    """Each remark in a sentence; one of a later release by its own word."""
    return [str(_SENTENCES.get(one) or _("Noticed: %(what)s.") % {"what": one}) for one in remarks]
