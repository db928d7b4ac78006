"""The ledger of what was erased, and each certificate."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from cases import access
from cases.errors import NoSuchCase
from cases.models import Erasure
from cases.queries import PAGE_ROWS
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.erasing.views.shared import SECTION, actors
from processes.kinds import kind_of


@require_safe
@signed_in
def certificates(request: HttpRequest) -> HttpResponse:
    """The ledger of everything that was erased, the newest first."""
    access.require(actor_of(request), "see destructions")
    page = page_of(request)
    first = (page - 1) * PAGE_ROWS
    found: QuerySet[Erasure] = Erasure.objects.select_related("case").order_by("-pk")
    shown = list(found[first : first + PAGE_ROWS + 1])
    context = {
        "certificates": shown[:PAGE_ROWS],
        "page": page,
        "has_next": len(shown) > PAGE_ROWS,
        **SECTION,
    }
    return render(request, "processes/erasing/certificates.html", context)


@require_safe
@signed_in
def certificate(request: HttpRequest, number: str) -> HttpResponse:
    """One certificate, also for paper; for whoever sees the case or looks after what is kept."""
    found = Erasure.objects.select_related("case").filter(number=number).first()
    who = person_of(request)
    if found is None or not (
        access.may(who, "see destructions") or access.can_see(who, found.case)
    ):
        raise NoSuchCase(_("There is no certificate %(number)s.") % {"number": number[:40]})
    named = actors(found.first_by, found.second_by)
    context = {
        "certificate": found,
        "kind": kind_of(found.case.kind),
        "first_by": named(found.first_by),
        "second_by": named(found.second_by),
        "counts": sorted(found.counts.items()),
        "files": [(digest, found.files.get(digest, "")) for digest in found.digests],
        **SECTION,
    }
    return render(request, "processes/erasing/certificate.html", context)
