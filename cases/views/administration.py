"""Administration within Longcase: people, teams, roles, and the record of what was changed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.views import PasswordResetConfirmView
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from cases import access, rights
from cases.absence import away_now
from cases.accounts import note_change
from cases.accountwords import ChangeWords
from cases.actors import Actor
from cases.errors import NoSuchCase
from cases.forms import ReasonForm
from cases.models import AccountChange, Case, Person, Task, Team
from cases.once import Answer
from cases.queries import count_of
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.acts import accounts
from processes.acts.people import deactivate_person

PEOPLE, CHANGES = 50, 100  # rows on a page
LINK = "sign-in-link"  # of the session, until the next page has shown it


class AccountForm(forms.Form):
    """What is known of a person, and what they may do."""

    first_name = forms.CharField(label=gettext_lazy("Given name"), max_length=150, required=False)
    last_name = forms.CharField(label=gettext_lazy("Family name"), max_length=150)
    email = forms.EmailField(label=gettext_lazy("Mail address"), required=False)
    team = forms.ModelChoiceField(
        Team.objects.none(),
        label=gettext_lazy("Team"),
        required=False,
        empty_label=gettext_lazy("none"),
    )
    capacity = forms.IntegerField(
        label=gettext_lazy("Capacity"),
        min_value=1,
        max_value=1000,
        required=False,
        help_text=gettext_lazy("How many open cases at a time are meant to be enough."),
    )
    roles = forms.MultipleChoiceField(
        label=gettext_lazy("Roles"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy(
            "Giving a role is recorded, and read by administrators, auditors and supervisors."
        ),
    )
    leads = forms.ModelMultipleChoiceField(
        Team.objects.none(),
        label=gettext_lazy("Leads these teams besides their own"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("For supervisors alone."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = Team.objects.order_by("name")
        self.fields["team"].queryset = teams
        self.fields["leads"].queryset = teams
        self.fields["roles"].choices = [(role, role) for role in accounts.all_roles()]


class NewPersonForm(AccountForm):
    """A new account, with its login."""

    username = forms.CharField(
        label=gettext_lazy("Login"), max_length=60, help_text=gettext_lazy("It stays for good.")
    )
    field_order = ("username",)


class WhyForm(AccountForm):
    """A change of an account, with the reason that stays with it."""

    why = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        help_text=gettext_lazy("Kept with the change."),
    )


class TeamForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)


@require_safe
@signed_in
def index(request: HttpRequest) -> HttpResponse:
    """What administrators look after, and the newest changes."""
    access.require(actor_of(request), "manage people")
    context = {
        "people": Person.objects.filter(is_active=True).count(),
        "teams": Team.objects.count(),
        "changes": _told(_changes_for(person_of(request))[:20]),
        "section": "administration",
    }
    return render(request, "cases/administration.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def people(request: HttpRequest) -> HttpResponse:
    """Everybody with an account; make a new one."""
    access.require(actor_of(request), "manage people")
    form = NewPersonForm(request.POST or None)

    def act() -> Answer:
        made = accounts.make_person(actor=actor_of(request), **form.cleaned_data)
        return Answer(
            reverse("person", args=[made.pk]),
            _("The account is made. Make a link with which %(who)s signs in.") % {"who": made},
        )

    def show(form: NewPersonForm, status: int = 200) -> HttpResponse:
        find = request.GET.get("find", "").strip()[:80].replace("\0", "")
        rows = Person.objects.select_related("team").prefetch_related("groups")
        rows = rows.order_by("-is_active", "last_name", "first_name", "username")
        if find:
            named = {f"{name}__icontains": find for name in ("username", "first_name", "last_name")}
            wanted = Q()
            for name, value in named.items():
                wanted |= Q(**{name: value})
            rows = rows.filter(wanted)
        page = page_of(request)
        first = (page - 1) * PEOPLE
        found = list(rows[first : first + PEOPLE + 1])
        context = {
            "form": form,
            "find": find,
            "rows": found[:PEOPLE],
            "away": away_now(found),
            "count": count_of(rows),
            "page": page,
            "has_next": len(found) > PEOPLE,
            "address": f"find={find}" if find else "",
            "section": "administration",
        }
        return render(request, "cases/people.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def person(request: HttpRequest, pk: int) -> HttpResponse:
    """One account: change it; what was changed so far."""
    other = _person(request, pk)
    initial = {
        "first_name": other.first_name,
        "last_name": other.last_name,
        "email": other.email,
        "team": other.team_id,
        "capacity": other.capacity,
        "roles": sorted(other.roles),
        "leads": list(other.leads.all()),
    }
    form = WhyForm(request.POST or None, initial=initial)

    def act() -> Answer:
        before = other.team_id
        changed = accounts.change_person(person=other, actor=actor_of(request), **form.cleaned_data)
        said = _("The account is changed.")
        left = _left_behind(changed, before)
        return Answer(request.path, f"{said} {left}".strip())

    def show(form: WhyForm, status: int = 200) -> HttpResponse:
        context = {
            "other": other,
            "is_me": other == person_of(request),
            "form": form,
            "link": request.session.pop(LINK, "") if status == 200 else "",
            "cases": count_of(Case.objects.filter(owner=other, closed_at=None)),
            "tasks": count_of(Task.objects.filter(holder=other, state="open")),
            "changes": _told(list(other.changes.all()[:CHANGES])),
            "section": "administration",
        }
        return render(request, "cases/person.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show, apart=True)
    return show(form)


def _left_behind(person: Person, before: int | None) -> str:
    """Somebody who changed team still has cases of the old one: their supervisor moves them."""
    if before is None or before == person.team_id:
        return ""
    left = count_of(Case.objects.filter(owner=person, team=before, closed_at=None))
    if not left:
        return ""
    return _(
        "%(n)s cases of the team before are still theirs; a supervisor of that team moves them "
        "from its page."
    ) % {"n": left}


@require_http_methods(["GET", "POST"])
@signed_in
def person_act(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """Let somebody go, let them in again, or reset their sign-in by a one-time link."""
    other = _person(request, pk)
    if name not in ("link", "leave", "back"):
        raise NoSuchCase(_("There is no such act on a person."))
    back = reverse("person", args=[pk])
    form = ReasonForm(request.POST or None, required=name != "link")
    if name == "link":
        del form.fields["reason"]

    def act() -> Answer:
        actor = actor_of(request)
        if name == "link":
            path = accounts.reset_sign_in(person=other, actor=actor)
            address = request.build_absolute_uri(reverse("new-password", args=path.split("/")))
            request.session[LINK] = address
            return Answer(back, _("The link is made. It is shown once, and works once."))
        why = form.cleaned_data["reason"]
        if name == "back":
            accounts.reactivate_person(person=other, actor=actor, why=why)
            return Answer(back, _("%(who)s may sign in again, by a new link.") % {"who": other})
        released = deactivate_person(person=other, actor=actor, reason=why)
        said = _("%(who)s can no longer sign in. Tasks that returned to their queues: %(n)s.")
        return Answer(back, said % {"who": other, "n": released})

    def show(form: Any, status: int = 200) -> HttpResponse:
        context = {
            "other": other,
            "form": form,
            "act": name,
            "back": back,
            "section": "administration",
        }
        return render(request, "cases/person_act.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show, apart=name == "leave")
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def teams(request: HttpRequest) -> HttpResponse:
    """All teams, with their people and supervisors; make a new one."""
    access.require(actor_of(request), "manage people")
    form = TeamForm(request.POST or None)

    def act() -> Answer:
        accounts.make_team(actor=actor_of(request), **form.cleaned_data)
        return Answer(request.path, _("The team is made."))

    def show(form: TeamForm, status: int = 200) -> HttpResponse:
        rows = list(Team.objects.order_by("name").prefetch_related("leaders"))
        members: dict[int | None, list[Person]] = {}
        for one in Person.objects.filter(is_active=True).prefetch_related("groups"):
            members.setdefault(one.team_id, []).append(one)
        context = {
            "form": form,
            "rows": [
                {
                    "team": one,
                    "people": len(members.get(one.pk, [])),
                    "leaders": _leaders(one, members.get(one.pk, [])),
                }
                for one in rows
            ],
            "section": "administration",
        }
        return render(request, "cases/teams.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _leaders(team: Team, members: list[Person]) -> str:
    """Who supervises a team: its own supervisors, and others who lead it."""
    own = [one for one in members if any(g.name == access.SUPERVISOR for g in one.groups.all())]
    others = [one for one in team.leaders.all() if one.is_active and one not in own]
    return ", ".join(str(one) for one in [*own, *others])


@require_http_methods(["GET", "POST"])
@signed_in
def rename_team(request: HttpRequest, pk: int) -> HttpResponse:
    """Another name for a team."""
    access.require(actor_of(request), "manage people")
    found = Team.objects.filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no such team."))
    form = TeamForm(request.POST or None, initial={"name": found.name})

    def act() -> Answer:
        accounts.rename_team(team=found, actor=actor_of(request), **form.cleaned_data)
        return Answer(reverse("teams"), _("The team is renamed."))

    def show(form: TeamForm, status: int = 200) -> HttpResponse:
        context = {"team": found, "form": form, "section": "administration"}
        return render(request, "cases/team_rename.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_safe
@signed_in
def roles(request: HttpRequest) -> HttpResponse:
    """What each role may do, read from the rules themselves."""
    access.require(actor_of(request), "manage people")
    named = accounts.all_roles()
    held: dict[str, list[Person]] = {role: [] for role in named}
    active = Person.objects.filter(is_active=True).order_by("last_name", "first_name", "username")
    for one in active.prefetch_related("groups"):
        for group in one.groups.all():
            held.setdefault(group.name, []).append(one)
    context = {
        "roles": [(role, held[role], rights.acts_of(role)) for role in named],
        "acts": rights.acts_in_words(),
        "section": "administration",
    }
    return render(request, "cases/roles.html", context)


@require_safe
@signed_in
def changes(request: HttpRequest) -> HttpResponse:
    """Who changed what about people and teams: all of it for administrators and auditors; for
    supervisors, what concerns their teams."""
    access.require(actor_of(request), "read changes of accounts")
    page = page_of(request)
    first = (page - 1) * CHANGES
    rows = list(_changes_for(person_of(request))[first : first + CHANGES + 1])
    context = {
        "changes": _told(rows[:CHANGES]),
        "page": page,
        "has_next": len(rows) > CHANGES,
        "address": "",
        "section": "administration",
    }
    return render(request, "cases/account_changes.html", context)


def _changes_for(person: Person) -> Any:
    found = AccountChange.objects.select_related("person", "team").order_by("-pk")
    if access.may(person, "manage people") or access.AUDITOR in person.roles:
        return found
    return found.filter(person__team__in=person.team_ids) | found.filter(team__in=person.team_ids)


def _told(rows: Any) -> list[dict[str, Any]]:
    rows = list(rows)
    words = ChangeWords.of(rows)
    return [
        {
            "change": one,
            "by": words.actor(one.by),
            "what": words.what(one),
            "about": words.about(one),
        }
        for one in rows
    ]


def _person(request: HttpRequest, pk: int) -> Person:
    access.require(actor_of(request), "manage people")
    found = Person.objects.select_related("team").filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no such person."))
    return found


class NewPassword(PasswordResetConfirmView):
    """Where a one-time link leads: a person chooses their own password."""

    template_name = "registration/new_password.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form: Any) -> HttpResponse:
        answer = super().form_valid(form)
        note_change("sign_in.set", actor=Actor.of(form.user), person=form.user)
        return answer
