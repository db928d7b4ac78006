"""What people fill in to try a change on closed cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_TABLE = 100_000  # characters


class GroupForm(forms.Form):
    """How the results are put together."""

    by = forms.ChoiceField(
        label=_("Put together by"),
        required=False,
        choices=[
            ("", _("All together")),
            ("team", _("Team")),
            ("month", _("Month of closing")),
            ("outcome", _("Outcome")),
        ],
    )


class TableForm(GroupForm):
    """A decision table, changed."""

    text = forms.CharField(
        label=_("The table, as CSV"),
        max_length=LONGEST_TABLE,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "class": "code"}),
        help_text=_("Change it here. The table that is in force stays as it is."),
        error_messages={"required": _("There is no table here. Load the page again for it.")},
    )
    field_order = ("text", "by")


class VersionForm(GroupForm):
    """A version of a step's code."""

    version = forms.TypedChoiceField(
        label=_("Version of the step's code"),
        coerce=int,
        error_messages={"required": _("Choose a version.")},
    )
    field_order = ("version", "by")

    def __init__(self, *args: Any, versions: Sequence[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["version"].choices = [(n, _("Version %(n)s") % {"n": n}) for n in versions]  # type: ignore[attr-defined]
