"""A form for new cases of the trial kind, as a kind declares one."""

from django import forms

from tests.trial.models import Trial


class NewTrial(forms.ModelForm):
    class Meta:
        model = Trial
        fields = ("script", "amount")
