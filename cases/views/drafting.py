"""Drafts on the pages: kept while somebody types, filled in again, thrown away on their word."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from cases import dates, drafts
from cases.errors import Invalid
from cases.models import Draft
from cases.views.signing import person_of, signed_in


def filled_in(request: HttpRequest, form: BaseForm) -> Draft | None:
    """Fill what this person had typed here into a form that was not sent; the draft, if any."""
    if form.is_bound:
        return None
    draft = drafts.load(person_of(request), request.path)
    if draft is None:
        return None
    known = {name: one for name, one in draft.data.items() if name in form.fields}
    form.initial = {**form.initial, **{name: _value(one) for name, one in known.items()}}
    return draft if known else None


def _value(kept: Any) -> Any:
    return kept[0] if isinstance(kept, list) and len(kept) == 1 else kept


@require_POST
@signed_in
def keep(request: HttpRequest) -> HttpResponse:
    """Keep what is typed into a form, sent by its page while somebody types."""
    person, address = person_of(request), _address(request)
    if address is None or request.POST.get("for", str(person.pk)) != str(person.pk):
        return JsonResponse({"said": _("This draft has no form here.")}, status=400)
    fields = {
        name: values if len(values) > 1 else values[0]
        for name, values in request.POST.lists()
        if values
    }
    try:
        draft = drafts.save(person, address, fields)
    except Invalid as error:
        return JsonResponse({"said": str(error)}, status=error.status)
    said = _("Draft kept %(at)s.") % {"at": dates.moment(draft.saved_at)} if draft else ""
    return JsonResponse({"said": said})


@require_http_methods(["GET", "POST"])
@signed_in
def throw_away(request: HttpRequest) -> HttpResponse:
    """Forget a draft, and open its form again without it."""
    address = _address(request)
    if request.method == "POST" and address is not None:
        drafts.drop(person_of(request), address)
        messages.success(request, _("The draft is thrown away."))
    return HttpResponseRedirect(address or "/", status=303)


def _address(request: HttpRequest) -> str | None:
    """The path of the form that is written in, one of ours."""
    asked = request.POST.get("draft_of", request.GET.get("of", ""))
    is_ours = asked.startswith("/") and url_has_allowed_host_and_scheme(asked, allowed_hosts=None)
    return asked if is_ours and len(asked) <= drafts.ADDRESS_CHARACTERS else None
