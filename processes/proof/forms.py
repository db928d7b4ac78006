"""What is filled in about checks."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

WAYS = (
    ("since", _("What moved since the last check without findings")),
    ("all", _("All of history, and whether the rows equal it")),
    ("heads", _("Anchors and the ends of histories alone")),
)


class CheckForm(forms.Form):
    """How much is looked at."""

    how = forms.ChoiceField(
        label=_("What is looked at"), widget=forms.RadioSelect, choices=WAYS, initial="since"
    )
