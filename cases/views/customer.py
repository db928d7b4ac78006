"""The page of the customer, as staff give and close it."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from cases import access
from cases.forms import GivePageForm, ReasonForm
from cases.models import Case, CustomerPage
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import customer_pages
from processes.customer import addresses, channels
from processes.kinds import kind_of
from timers import clock


def _case(request: HttpRequest, reference: str) -> Case:
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "work on case", case)
    if kind_of(case.kind).page is None:
        raise Http404
    return case


def _page_of(case: Case) -> CustomerPage | None:
    given = CustomerPage.objects.filter(case_id=case.pk, revoked_at=None).first()
    return given if given is not None and given.is_open_at(clock.now()) else None


@require_http_methods(["GET", "POST"])
@signed_in
def page(request: HttpRequest, reference: str) -> HttpResponse:
    """Send the customer the address of their page; the one they had is open no longer."""
    case = _case(request, reference)
    to = getattr(case, "correspondent", None)
    form = GivePageForm(
        request.POST or None, is_known=to is not None, has_telephone=bool(channels.telephone())
    )

    def act() -> Answer:
        given = customer_pages.give_page(
            case_id=case.pk, actor=actor_of(request), **form.cleaned_data
        )
        said = _("A letter with the address is on its way to %(who)s.") % {"who": given.name}
        return Answer(case.get_absolute_url(), said)

    def show(form: GivePageForm, status: int = 200) -> HttpResponse:
        given = _page_of(case)
        context = {**head_of(request, case), "form": form, "given": given, "to": to}
        if given is not None and settings.LONGCASE_DEMO:
            context["demo_address"] = addresses.address_of(given)
        return render(request, "cases/customer_page.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def close(request: HttpRequest, reference: str) -> HttpResponse:
    """Close the customer's page at once, with the reason."""
    case = _case(request, reference)
    form = ReasonForm(request.POST or None)

    def act() -> Answer:
        customer_pages.revoke_page(
            case_id=case.pk, reason=form.cleaned_data["reason"], actor=actor_of(request)
        )
        return Answer(reverse("give-page", args=[case.reference]), _("The page is closed."))

    def show(form: ReasonForm, status: int = 200) -> HttpResponse:
        context = {**head_of(request, case), "form": form, "given": _page_of(case)}
        return render(request, "cases/close_page.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
