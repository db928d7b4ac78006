"""What operators fill in about cases and the code of their steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from cases.forms import ReasonForm


class PreviewForm(forms.Form):
    """From which version of which step to which other one."""

    way = forms.ChoiceField(
        label=_("Which cases"),
        widget=forms.RadioSelect,
        help_text=_("Nothing is moved yet: the preview says which cases would fit."),
        error_messages={"required": _("Choose which cases to look at.")},
    )

    def __init__(self, *args: Any, ways: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["way"].choices = ways


class RestartForm(ReasonForm):
    """Why a step begins again, and what of its work stays."""

    keep = forms.TypedMultipleChoiceField(
        label=_("Keep"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What is kept is not undone, and its result counts when the step asks again."),
    )
    field_order = ("keep", "reason")

    def __init__(self, *args: Any, done: Sequence[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if done:
            self.fields["keep"].choices = done
        else:
            del self.fields["keep"]
