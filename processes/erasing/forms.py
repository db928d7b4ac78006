"""Forms of holds, of lists and requests, and of the rules by which cases are kept."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.forms import ReasonForm
from processes.retention import CLOSED, Ruling, date_facts


class HoldForm(ReasonForm):
    """Why a case must not be destroyed, and whether that counts for the person."""

    of_person = forms.BooleanField(
        label=_("All cases of this person"),
        required=False,
        help_text=_("Also those that come later: whatever has the same mail address or number."),
    )


class FindForm(forms.Form):
    """By what a person is found."""

    text = forms.CharField(
        label=_("Reference of a case, mail address or number"),
        max_length=200,
        help_text=_("A name alone tells nobody from another; cases that share it are shown apart."),
    )


class RequestForm(forms.Form):
    """Which cases of a person are to be erased, and on which ground."""

    cases = forms.MultipleChoiceField(label=_("Cases"), widget=forms.CheckboxSelectMultiple)
    reason = forms.CharField(
        label=_("Reason"),
        widget=forms.Textarea(attrs={"rows": 2}),
        max_length=2000,
        help_text=_(
            "It stays when the cases are erased: write it without name, address or number."
        ),
    )
    basis = forms.CharField(
        label=_("Ground in law"),
        max_length=300,
        help_text=_("Such as: GDPR, article 17(1)(a), consent withdrawn."),
    )
    stays = forms.BooleanField(
        label=_("Erase what cannot be erased yet when it can"),
        required=False,
        initial=True,
        help_text=_("Each hour it is looked whether the date has come and no hold stands."),
    )

    def __init__(self, *args: Any, choices: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["cases"].choices = choices  # type: ignore[attr-defined]


class RuleForm(forms.Form):
    """How long cases that ended so are kept."""

    months = forms.IntegerField(
        label=_("Kept for (months)"), min_value=1, max_value=1200, help_text=_("60 are five years.")
    )
    since = forms.ChoiceField(label=_("Counted from"))
    basis = forms.CharField(label=_("Law or policy that asks for it"), max_length=300)
    why = forms.CharField(
        label=_("Why you change it"), max_length=300, help_text=_("Kept with the change.")
    )

    def __init__(self, *args: Any, ruling: Ruling, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        facts = [(name, ruling.kind.fact_label(name)) for name in date_facts(ruling.kind)]
        self.fields["since"].choices = [  # type: ignore[attr-defined]
            (CLOSED, _("the day on which the case was closed")),
            *facts,
        ]


class RestoreForm(forms.Form):
    why = forms.CharField(label=_("Why the kind's own rule is to count again"), max_length=300)
