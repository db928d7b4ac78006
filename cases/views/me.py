"""How a person wants to see Longcase, and the clock of a demo."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from cases.access import AUDITOR
from cases.forms import ClockForm, SettingsForm
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import clocks


@require_http_methods(["GET", "POST"])
@signed_in
def my_settings(request: HttpRequest) -> HttpResponse:
    """Colours, and the single-key shortcuts."""
    form = SettingsForm(request.POST or None, instance=person_of(request))

    def act() -> Answer:
        form.save()
        return Answer(reverse("settings"), _("Your settings are kept."))

    def show(form: SettingsForm, status: int = 200) -> HttpResponse:
        return render(request, "cases/settings.html", {"form": form}, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def turn_clock(request: HttpRequest) -> HttpResponse:
    """Turn the clock of a demo ahead; what falls due then happens, in order."""
    if not settings.LONGCASE_DEMO:
        raise Http404
    if AUDITOR in person_of(request).roles:
        raise PermissionDenied(_("Auditors change nothing, not even the time of a demo."))
    form = ClockForm(request.POST or None)
    back = request.POST.get("back", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = "/"

    def act() -> Answer:
        days = form.cleaned_data["days"]
        clocks.turn_clock(days=days, actor=actor_of(request))
        said = ngettext("It is %(n)s day later now.", "It is %(n)s days later now.", days)
        return Answer(back, said % {"n": days})

    def show(form: ClockForm, status: int = 200) -> HttpResponse:
        return render(request, "cases/turn_clock.html", {"form": form}, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show, apart=True)
    return show(form)
