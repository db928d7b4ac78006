"""The one way in which a form of these pages acts.

Each form carries a key made at its render, for whom it was rendered, and the last event that its
reader had seen. Sent twice, it acts once. Sent by someone else than it was rendered for, or after
another person's change, it is refused, and the typed text stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from cases import drafts
from cases.errors import Invalid, Refused
from cases.models import Case, Person
from cases.once import Answer, OtherContent, SomebodyElses, digest_of, once
from cases.views.signing import person_of
from processes.acts import undoing

Show = Callable[[Any, int], HttpResponse]  # the form again, with a status


class SeeOther(HttpResponseRedirect):
    """An act was done; this page shows it."""

    status_code = 303


def carry_out(
    request: HttpRequest,
    *,
    form: Any,
    act: Callable[[], Answer],
    show: Show,
    apart: bool = False,
) -> HttpResponse:
    """Check the form, do the act once, and lead on; or show the form again and say why.

    `apart` is for an act that commits by itself, such as one on many cases.
    """
    person = person_of(request)
    if (other := _rendered_for_another(request, person)) is not None:
        form.add_error(None, other)
        return show(form, 409)
    if not form.is_valid():
        return show(form, 422)
    key = _key(request)
    if key is None:
        form.add_error(None, _("This form was incomplete. Nothing was saved; send it again."))
        return show(form, 422)
    try:
        answer = once(key=key, person=person, digest=_digest(request), act=act, apart=apart)
    except SomebodyElses:
        form.add_error(None, _("This form is not yours. Open the page again. Nothing was saved."))
        return show(form, 409)
    except OtherContent as error:
        form.add_error(None, _already(error.answer))
        return show(form, 409)
    except Invalid as error:
        known = {name: one for name, one in error.fields.items() if name in form.fields}
        for name, sentence in known.items():
            form.add_error(name, sentence)
        if len(known) < len(error.fields) or not known:
            form.add_error(None, str(error))
        return show(form, error.status)
    except Refused as error:
        form.add_error(None, str(error))
        return show(form, error.status)
    drafts.drop(person, request.path)  # it was sent
    if answer.said:
        messages.success(request, answer.said, extra_tags=answer.undo)
    return SeeOther(answer.address or "/")


def undo_of(case: Case, person: Person) -> str:
    """Where what this person has just done to a case is undone; "" where it cannot be."""
    number = undoing.undoable(case.pk, person)
    return reverse("undo", args=[case.reference, number]) if number else ""


def seen_number(request: HttpRequest) -> int | None:
    """The last event of the case that the reader of this form had seen."""
    sent = request.POST.get("seen", "")
    return int(sent) if _is_number(sent) else None


def required_seen(request: HttpRequest) -> int:
    """The same, where nothing is done without it. Raises Invalid."""
    seen = seen_number(request)
    if seen is None:
        raise Invalid(_("This form was incomplete. Nothing was saved; open the page again."))
    return seen


def _is_number(sent: str) -> bool:
    """Whether a field of a form holds one of our numbers: anything may be sent."""
    return sent.isascii() and sent.isdecimal() and len(sent) < 18


def _rendered_for_another(request: HttpRequest, person: Person) -> str | None:
    sent = request.POST.get("for", "")
    if not _is_number(sent) or int(sent) == person.pk:
        return None
    other = Person.objects.filter(pk=int(sent)).first()
    return _(
        "This page was opened by %(other)s, and you are signed in as %(you)s now. Nothing was "
        "saved, and the text is kept. Send it again to save it as %(you)s."
    ) % {"other": other or _("someone else"), "you": person}


def _already(first: Answer) -> str:
    return _(
        "This form was saved before, with another text. What you typed since is kept here and is "
        "not saved yet. Look at the case first; send again to save this too."
    )


def _key(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("key", ""))
    except ValueError:
        return None


def _digest(request: HttpRequest) -> str:
    sent = [
        (name, values) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"
    ]
    files = [
        (name, [f"{one.name} {one.size}" for one in found]) for name, found in request.FILES.lists()
    ]
    return digest_of([("", [request.path]), *sent, *files])
