"""What people fill in. Labels, help and errors are whole sentences; optional fields say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from cases import amounts, fsm, signins
from cases.models import Digest, Person, Task
from cases.words import of_steps

REASON_CHARACTERS = 4000
NOTE_CHARACTERS = 10_000


def long_text(
    label: Any, *, help_text: Any = "", required: bool = True, most: int = REASON_CHARACTERS
) -> forms.CharField:
    return forms.CharField(
        label=label,
        help_text=help_text,
        required=required,
        max_length=most,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class LoginForm(AuthenticationForm):
    """Django's own, with our words."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": _(
            "This name and password do not belong together. Both are case-sensitive."
        ),
        "paused": _(
            "Too many wrong passwords came for this name, or from where you are. Nobody can sign "
            "in that way now, not even with the right one. Try again in 15 minutes."
        ),
    }

    def clean(self) -> dict[str, Any]:
        """Django's own, within the brake on guessing: see cases/signins.py."""
        name = self.cleaned_data.get("username")
        if not name or not self.cleaned_data.get("password"):
            return super().clean()
        address = signins.address_of(self.request.META) if self.request is not None else ""
        one = signins.begin(name=name, address=address)
        if one is None:
            raise forms.ValidationError(self.error_messages["paused"], code="paused")
        cleaned = super().clean()
        signins.succeeded(one)
        return cleaned


class AmountField(forms.DecimalField):
    """An amount as people write it; what can be read in two ways is refused with both."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})

    def to_python(self, value: Any) -> Any:
        if value in self.empty_values:
            return None
        places = 2 if self.decimal_places is None else self.decimal_places
        try:
            return amounts.read(value, places=places)
        except amounts.Unreadable as error:
            raise forms.ValidationError(str(error), code="invalid") from error

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        return {}


def read_as_written(form: forms.Form) -> None:
    """Let the fields of decimals in a form of a kind read amounts as people write them, and those
    of days have the browser's calendar, unless the form says otherwise."""
    for name, field in form.fields.items():
        if type(field.widget) is forms.DateInput and field.widget.input_type == "text":
            field.widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
            field.widget.is_required = field.required
        if type(field) is forms.DecimalField:
            reads = AmountField(
                required=field.required,
                label=field.label,
                help_text=field.help_text,
                initial=field.initial,
                max_digits=field.max_digits,
                decimal_places=field.decimal_places,
            )
            reads.validators = field.validators
            form.fields[name] = reads


class ReasonForm(forms.Form):
    """An act that asks only why."""

    reason = long_text(_("Reason"), help_text=_("Kept in the history, for whoever reads it later."))

    def __init__(self, *args: Any, required: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = required


class GiveUpForm(ReasonForm):
    """Work is given up: why, and what is known of it."""

    never = forms.BooleanField(
        label=_("The other side has confirmed that nothing came of it, and nothing will"),
        help_text=_("Otherwise it may have taken effect, and is not done once more."),
        required=False,
    )


class NoteForm(forms.Form):
    text = long_text(
        _("Note"),
        help_text=_(
            "Everyone who may see the case can read it, and it stays as it is. @name tells a "
            "colleague of it."
        ),
        most=NOTE_CHARACTERS,
    )
    tell = forms.ModelChoiceField(
        label=_("Tell a colleague"),
        queryset=Person.objects.none(),
        required=False,
        empty_label=_("Nobody"),
    )

    def __init__(self, *args: Any, people: QuerySet[Person], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["tell"].queryset = people


class TaskForm(forms.Form):
    """The outcome of a task, its reason, and whatever else the task asks."""

    outcome = forms.ChoiceField(
        label=_("Outcome"),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose an outcome.")},
    )
    reason = long_text(
        _("Reasons"),
        help_text=_("Kept with the outcome; colleagues, auditors and the customer may read them."),
        required=False,
    )

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.task = task
        self.asked: list[str] = []
        choices = [(one[0], of_steps(one[1])) for one in task.outcomes]
        self.fields["outcome"].choices = choices
        if task.advises_id is not None:
            self.fields["outcome"].initial = choices[0][0]
            self.fields["reason"].label = _("Your advice")
            self.fields["reason"].help_text = _("Whoever asked reads it on their form.")
        if len(choices) == 1:
            self.fields["outcome"].initial = choices[0][0]
        for name, label, kind in task.asks:
            self.fields[f"ask_{name}"] = asked_field(of_steps(label), kind)
            self.asked.append(name)
        self.order_fields(["outcome", *(f"ask_{name}" for name in self.asked), "reason"])
        if self.needs_reason() == {one[0] for one in task.outcomes}:
            self.fields["reason"].required = True

    def needs_reason(self) -> set[str]:
        return {one[0] for one in self.task.outcomes if len(one) > 2 and one[2]}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        outcome = cleaned.get("outcome")
        if outcome in self.needs_reason() and not cleaned.get("reason") and "reason" in cleaned:
            label = dict(self.fields["outcome"].choices)[outcome]
            self.add_error("reason", _("Give the reasons for “%(outcome)s”.") % {"outcome": label})
        return cleaned

    def result(self) -> dict[str, Any]:
        return {name: self.cleaned_data[f"ask_{name}"] for name in self.asked}


def asked_field(label: str, kind: str) -> forms.Field:
    """A field that a task asks for: text, money, date or yes. Not every outcome needs it."""
    match kind:
        case "money":
            return AmountField(
                label=label, required=False, max_digits=14, decimal_places=2, min_value=0
            )
        case "date":
            day = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
            return forms.DateField(label=label, required=False, widget=day)
        case "yes":
            return forms.BooleanField(label=label, required=False)
    return forms.CharField(label=label, required=False, max_length=500)


class HandOverForm(ReasonForm):
    """Give a task, or a case, to someone else."""

    to = forms.ModelChoiceField(label=_("To"), queryset=Person.objects.none())
    field_order = ("to", "reason")

    def __init__(self, *args: Any, people: Sequence[Person], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = Person.objects.filter(pk__in=[one.pk for one in people])
        self.fields["to"].queryset = chosen.order_by("last_name", "first_name", "username")


class BulkHandOverForm(ReasonForm):
    """Give many cases and tasks to someone, or back to their queues."""

    to = forms.ChoiceField(label=_("To"))
    field_order = ("to", "reason")

    def __init__(self, *args: Any, people: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["to"].choices = [("", _("Choose who gets it")), *people]


class BulkRemindForm(forms.Form):
    """Be told of cases on a day."""

    day = forms.DateField(
        label=_("On"),
        help_text=_("You are told in the morning. It is yours alone, and goes when a case closes."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    text = forms.CharField(
        label=_("What to be reminded of"), max_length=200, required=False, strip=True
    )


class SavedListForm(forms.Form):
    """The name of a list, and who sees it where."""

    name = forms.CharField(label=_("Name"), max_length=60)
    shared = forms.BooleanField(
        label=_("Share it with my team"),
        help_text=_("Everybody sees what they may see themselves, when they open it."),
        required=False,
    )
    start = forms.BooleanField(label=_("Begin with this list after signing in"), required=False)

    def __init__(self, *args: Any, team: Any, own: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not own:
            del self.fields["name"], self.fields["shared"]
        elif team is None:
            del self.fields["shared"]
        else:
            self.fields["shared"].label = _("Share it with %(team)s") % {"team": team}


class RelateForm(ReasonForm):
    """Relate a case to another one."""

    reference = forms.CharField(
        label=_("Reference of the other case"),
        max_length=40,
        help_text=_("Such as LN-2026-000123. It must be one that you may see."),
    )
    field_order = ("reference", "reason")


class AdviceForm(forms.Form):
    """Ask a colleague for advice on a task."""

    of = forms.ModelChoiceField(label=_("Colleague"), queryset=Person.objects.none())
    question = long_text(
        _("What do you want to know?"),
        help_text=_("They see the case, and your question stays in its history."),
    )

    def __init__(self, *args: Any, people: Sequence[Person], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = Person.objects.filter(pk__in=[one.pk for one in people])
        self.fields["of"].queryset = chosen.order_by("last_name", "first_name", "username")


class AskDocumentsForm(ReasonForm):
    """Papers that are needed besides those already asked for."""

    names = forms.MultipleChoiceField(
        label=_("Documents"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    other = forms.CharField(
        label=_("Something else"),
        required=False,
        max_length=200,
        help_text=_("In the words that the applicant will read, such as “Lease contract”."),
    )
    field_order = ("names", "other", "reason")

    def __init__(self, *args: Any, titles: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.titles = {name: str(title) for name, title in titles.items()}
        self.fields["names"].choices = list(self.titles.items())
        if not self.titles:
            del self.fields["names"]
        self.fields["reason"].help_text = _("The applicant will read this.")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not cleaned.get("names") and not cleaned.get("other"):
            self.add_error("other", _("Choose a document, or name one."))
        return cleaned

    def asked(self) -> dict[str, str]:
        """The documents asked for: their names and titles."""
        from django.utils.text import slugify

        asked = {name: self.titles[name] for name in self.cleaned_data.get("names", ())}
        if other := self.cleaned_data.get("other"):
            asked[slugify(other).replace("-", "_")[:80] or "other"] = other
        return asked


class GivePageForm(forms.Form):
    """Whom the customer's page is for, where the case does not say, and how its code comes."""

    name = forms.CharField(label=_("Name"), max_length=200)
    email = forms.EmailField(label=_("E-mail address"), required=False)
    phone = forms.CharField(
        label=_("Telephone for the code"),
        required=False,
        max_length=40,
        help_text=_("Codes come as text messages there, and not by mail."),
    )

    def __init__(self, *args: Any, is_known: bool, has_telephone: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if is_known:  # whoever the letters of the case go to
            del self.fields["name"], self.fields["email"]
        if not has_telephone:
            del self.fields["phone"]


class MoveForm(forms.Form):
    """A transition that staff take by hand: whatever data it asks for."""

    def __init__(self, *args: Any, edge: fsm.Edge, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in edge.asks:
            label = name.replace("_", " ").capitalize()
            if name.endswith("reason"):
                self.fields[name] = long_text(
                    label, help_text=_("Kept in the history; the customer may read it.")
                )
            else:
                self.fields[name] = forms.CharField(label=label, max_length=500)


class LinkMessageForm(forms.Form):
    """The case that a message was meant for."""

    reference = forms.CharField(
        label=_("Reference of the case"),
        max_length=40,
        help_text=_("Such as LN-2026-000123."),
    )


class PutAsideForm(forms.Form):
    """A message that is not ours."""

    reason = long_text(
        _("Why it belongs to no case"), help_text=_("Kept with the message, for whoever asks.")
    )


class SettingsForm(forms.ModelForm):
    """How a person wants to see Longcase."""

    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("As the browser")), *settings.LANGUAGES],
        widget=forms.RadioSelect,
    )

    class Meta:
        model = Person
        fields = ("language", "scheme", "keys_off")
        labels = {"scheme": _("Colours"), "keys_off": _("Switch the single-key shortcuts off")}
        widgets = {"scheme": forms.RadioSelect}


class NoticeForm(forms.Form):
    """What a person wants to be told of, and how often by mail."""

    digest = forms.ChoiceField(
        label=_("By mail, what you have not read"),
        choices=Digest.How.choices,
        widget=forms.RadioSelect,
    )
    muted = forms.MultipleChoiceField(
        label=_("Do not tell me"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("These stay in the list of all notices, and come neither up nor by mail."),
    )

    def __init__(self, *args: Any, kinds: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["muted"].choices = list(kinds.items())


class ClockForm(forms.Form):
    """How far to turn the clock of a demo."""

    days = forms.TypedChoiceField(choices=[(1, "1"), (7, "7"), (30, "30")], coerce=int)


class EmptyForm(forms.Form):
    """An act that asks for nothing more."""
