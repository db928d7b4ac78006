"""Forms of a fine: to open one by hand, and to record what came by post or at the counter."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from processes.enforcement.models import Fine


class FineForm(forms.ModelForm):
    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=200,
        help_text=_("As the lists show the case. Empty: the offender's name."),
    )

    class Meta:
        model = Fine
        fields = ("offender_name", "email", "offence", "amount", "raised_amount")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        cleaned["title"] = cleaned.get("title") or cleaned.get("offender_name", "")
        return cleaned


class posted(forms.Form):
    expenses = forms.DecimalField(label=_("Expenses of the notice"), decimal_places=2, min_value=0)


class payment(forms.Form):
    amount = forms.DecimalField(label=_("Amount in euro"), decimal_places=2, min_value=0)
    in_doubt = forms.BooleanField(
        label=_("In doubt"),
        required=False,
        help_text=_("Its date or reference is not clear yet, so it does not close the case."),
    )


class Ruling(forms.Form):
    outcome = forms.ChoiceField(
        label=_("The appeal is"),
        choices=[("upheld", _("upheld: the fine falls")), ("rejected", _("rejected"))],
        widget=forms.RadioSelect,
    )


# By the names of the messages.
ruling_of_prefect = ruling_of_judge = Ruling
delivered = appeal_to_prefect = appeal_to_judge = forms.Form
