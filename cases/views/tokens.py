"""Accounts of programs, for administrators; and the tokens that people make for themselves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from cases import access
from cases.errors import NoSuchCase
from cases.forms import EmptyForm
from cases.models import Client, Team, Token
from cases.once import Answer
from cases.queries import people_named
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.words import Words
from processes.acts import clients as acts
from processes.kinds import kinds

SHOWN_ONCE = "new-token"  # of the session, until the next page has shown it
MOST = 500


class ScopesField(forms.CharField):
    """Scopes, one a line or with blanks between. The page tells what they are made of: `told`."""

    widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "autocapitalize": "off"})

    def __init__(self, **given: Any) -> None:
        words = gettext_lazy("An act and a kind, such as read:loan; * is every kind. One a line.")
        given = {"label": gettext_lazy("Scopes"), "max_length": 4000, "help_text": words, **given}
        super().__init__(**given)

    @property
    def told(self) -> dict[str, str]:
        """Each word that a scope may have, with what it means."""
        return {**acts.SCOPES, _("Kinds"): ", ".join(sorted(kinds()))}

    def clean(self, value: Any) -> list[str]:
        return super().clean(value).split()  # type: ignore[no-any-return]


class DaysForm(forms.Form):
    title = forms.CharField(
        label=gettext_lazy("What it is for"), max_length=120, help_text=gettext_lazy("For you.")
    )
    scopes = ScopesField()
    days = forms.IntegerField(
        label=gettext_lazy("Days it lasts"), min_value=1, max_value=365, initial=90
    )


class ClientForm(forms.Form):
    name = forms.SlugField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy("As history tells it. It stays for good."),
    )
    title = forms.CharField(label=gettext_lazy("Title"), max_length=200)
    team = forms.ModelChoiceField(
        Team.objects.none(),
        label=gettext_lazy("Only cases of this team"),
        required=False,
        empty_label=gettext_lazy("all teams"),
    )
    scopes = ScopesField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team"].queryset = Team.objects.order_by("name")


class ScopesForm(forms.Form):
    scopes = ScopesField()
    is_active = forms.BooleanField(
        label=gettext_lazy("May call"),
        required=False,
        help_text=gettext_lazy("Without it all of its tokens are refused."),
    )


class RotateForm(forms.Form):
    overlap_hours = forms.IntegerField(
        label=gettext_lazy("Hours that the old one still works"),
        min_value=0,
        max_value=24 * 30,
        initial=24,
    )


@require_http_methods(["GET", "POST"])
@signed_in
def client_list(request: HttpRequest) -> HttpResponse:
    """All accounts of programs; a new one gets its first token, shown once."""
    access.require(actor_of(request), "manage clients")
    form = ClientForm(request.POST or None)

    def act() -> Answer:
        data = form.cleaned_data
        made = acts.make_client(actor=actor_of(request), **data)
        _token, text = acts.issue_token(actor=actor_of(request), client=made)
        request.session[SHOWN_ONCE] = text
        return Answer(reverse("client", args=[made.name]), _("The account is made."))

    def show(form: ClientForm, status: int = 200) -> HttpResponse:
        rows = Client.objects.select_related("team").order_by("name")[:MOST]
        context = {"form": form, "rows": list(rows)}
        return render(request, "cases/clients.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def client(request: HttpRequest, name: str) -> HttpResponse:
    """One account: what it may do, and its tokens."""
    found = _client(request, name)
    initial = {"scopes": "\n".join(found.scopes), "is_active": found.is_active}
    form = ScopesForm(request.POST or None, initial=initial)

    def act() -> Answer:
        acts.change_client(client=found, actor=actor_of(request), **form.cleaned_data)
        return Answer(request.path, _("The account is changed."))

    def show(form: ScopesForm, status: int = 200) -> HttpResponse:
        context = {
            "form": form,
            "client": found,
            "tokens": told(found.tokens.filter(bought_with=None).order_by("-pk")[:MOST]),
            "new": request.session.pop(SHOWN_ONCE, "") if status == 200 else "",
        }
        return render(request, "cases/client.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def new_client_token(request: HttpRequest, name: str) -> HttpResponse:
    """A further token of an account."""
    found = _client(request, name)

    def act() -> Answer:
        _token, text = acts.issue_token(actor=actor_of(request), client=found)
        request.session[SHOWN_ONCE] = text
        return Answer(reverse("client", args=[name]), _("The token is made."))

    return _act(request, EmptyForm(request.POST or None), act, _("Make a further token"), found)


@require_http_methods(["GET", "POST"])
@signed_in
def new_client_secret(request: HttpRequest, name: str) -> HttpResponse:
    """A secret of an account, for programs that sign in by OAuth 2."""
    found = _client(request, name)

    def act() -> Answer:
        _token, text = acts.issue_token(actor=actor_of(request), client=found, is_secret=True)
        request.session[SHOWN_ONCE] = text
        return Answer(reverse("client", args=[name]), _("The secret is made."))

    return _act(
        request, EmptyForm(request.POST or None), act, _("Make a secret for OAuth 2"), found
    )


@require_http_methods(["GET", "POST"])
@signed_in
def my_tokens(request: HttpRequest) -> HttpResponse:
    """The tokens with which a person's own tools call the API."""
    person = person_of(request)
    form = DaysForm(request.POST or None)

    def act() -> Answer:
        _token, text = acts.issue_token(actor=actor_of(request), person=person, **form.cleaned_data)
        request.session[SHOWN_ONCE] = text
        return Answer(request.path, _("The token is made."))

    def show(form: DaysForm, status: int = 200) -> HttpResponse:
        tokens = Token.objects.filter(person=person).order_by("-pk")[:MOST]
        new = request.session.pop(SHOWN_ONCE, "") if status == 200 else ""
        context = {"form": form, "tokens": told(tokens), "new": new}
        return render(request, "cases/my_tokens.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def rotate(request: HttpRequest, pk: int) -> HttpResponse:
    """A new token in the place of one."""
    token = _token(request, pk)
    form = RotateForm(request.POST or None)

    def act() -> Answer:
        _new, text = acts.rotate_token(token=token, actor=actor_of(request), **form.cleaned_data)
        request.session[SHOWN_ONCE] = text
        return Answer(_home(token), _("The token is changed."))

    return _act(request, form, act, _("Change the token"), token)


@require_http_methods(["GET", "POST"])
@signed_in
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """End a token now."""
    token = _token(request, pk)

    def act() -> Answer:
        acts.revoke_token(token=token, actor=actor_of(request))
        return Answer(_home(token), _("The token is revoked: its next call is refused."))

    return _act(request, EmptyForm(request.POST or None), act, _("Revoke the token"), token)


def _act(request: HttpRequest, form: Any, act: Any, verb: str, about: Any) -> HttpResponse:
    def show(form: Any, status: int = 200) -> HttpResponse:
        back = _home(about) if isinstance(about, Token) else reverse("client", args=[about.name])
        context = {"form": form, "verb": verb, "about": about, "back": back}
        return render(request, "cases/token_act.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _client(request: HttpRequest, name: str) -> Client:
    access.require(actor_of(request), "manage clients")
    found = Client.objects.filter(name=name).first()
    if found is None:
        raise NoSuchCase(_("There is no account “%(name)s”.") % {"name": name})
    return found


def _token(request: HttpRequest, pk: int) -> Token:
    """The token, for whoever it belongs to, and of programs for administrators."""
    found = Token.objects.select_related("client", "person").filter(pk=pk).first()
    person = person_of(request)
    mine = found is not None and found.person == person
    ours = found is not None and found.client is not None and access.may(person, "manage clients")
    if found is None or not (mine or ours):
        raise NoSuchCase(_("There is no such token of yours."))
    return found


def _home(token: Token) -> str:
    if token.client is not None:
        return reverse("client", args=[token.client.name])
    return reverse("my-tokens")


def told(tokens: Any) -> list[dict[str, Any]]:
    """Tokens with whether they live, and who made and ended them."""
    tokens = list(tokens)
    codes = [code for one in tokens for code in (one.made_by, one.revoked_by)]
    words = Words(next(iter(kinds().values())), people=people_named(codes))
    return [
        {
            "token": one,
            "is_alive": acts.is_alive(one),
            "made_by": words.actor(one.made_by),
            "revoked_by": words.actor(one.revoked_by) if one.revoked_by else "",
        }
        for one in tokens
    ]
