"""The forms with which staff open a permit application and record what came by post."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from processes.permit import rules
from processes.permit.models import PermitApplication

_TEXT = forms.Textarea(attrs={"rows": 4})


class PermitForm(forms.ModelForm):
    """What the applicant says; what the process finds is not asked."""

    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=200,
        help_text=_("As the lists show the case. Empty: the site and the applicant."),
    )
    parts = forms.MultipleChoiceField(
        label=_("What is asked for"),
        choices=list(rules.PARTS.items()),
        widget=forms.CheckboxSelectMultiple,
    )

    class Meta:
        model = PermitApplication
        fields = (
            "applicant_name",
            "email",
            "address",
            "site",
            "description",
            "parts",
            "channel",
            "received_on",
            "costs",
        )
        widgets = {
            "address": forms.Textarea(attrs={"rows": 3}),
            "description": _TEXT,
            "received_on": forms.DateInput(attrs={"type": "date"}),
        }
        help_texts = {
            "email": _("Letters go here. Without it they are kept to be posted."),
            "site": _("Street and number, or parcel."),
            "received_on": _("The legal term begins on this day. Empty: today."),
            "costs": _("In euro."),
        }

    def clean_parts(self) -> str:
        return " ".join(self.cleaned_data["parts"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("title"):
            cleaned["title"] = ", ".join(
                filter(None, (cleaned.get("site"), cleaned.get("applicant_name")))
            )[:200]
        return cleaned


class AdviceForm(forms.Form):
    """A party's advice that came by post or phone."""

    view = forms.ChoiceField(
        label=_("The party"),
        choices=[
            ("agrees", _("has no objection")),
            ("agrees_with_conditions", _("has no objection, with conditions")),
            ("objects", _("objects")),
        ],
        widget=forms.RadioSelect,
    )
    text = forms.CharField(label=_("What it says"), required=False, max_length=4000, widget=_TEXT)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("view") != "agrees" and not cleaned.get("text"):
            self.add_error("text", _("Say which conditions, or why it objects."))
        return cleaned


class ObjectionForm(forms.Form):
    """An objection, or an appeal to the court."""

    by = forms.CharField(label=_("Of whom"), max_length=200)
    email = forms.EmailField(label=_("E-mail address"), required=False, max_length=200)
    grounds = forms.CharField(label=_("Grounds"), max_length=4000, widget=_TEXT)


class JudgmentForm(forms.Form):
    """What the court said."""

    judgment = forms.ChoiceField(
        label=_("The court"),
        choices=[
            ("upheld", _("lets the decision stand")),
            ("annulled", _("annuls the decision")),
        ],
        widget=forms.RadioSelect,
    )
    text = forms.CharField(label=_("Why"), required=False, max_length=4000, widget=_TEXT)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("judgment") == "annulled" and not cleaned.get("text"):
            self.add_error("text", _("Say why; the new decision rests on it."))
        return cleaned


class ExtensionForm(forms.Form):
    """The authority extends the legal term."""

    reason = forms.CharField(
        label=_("Reason that the applicant reads"), max_length=2000, widget=_TEXT
    )


class NothingComesForm(forms.Form):
    """The applicant says that the data we asked for do not come."""

    reason = forms.CharField(label=_("What the applicant says"), max_length=2000, widget=_TEXT)
