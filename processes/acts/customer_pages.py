"""Acts on a customer's page: give it, revoke it, send it anew when its address is over."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from cases import access
from cases.actors import Actor, party
from cases.directions import without_turns
from cases.errors import CaseClosed, Invalid
from cases.models import Case, CustomerPage
from processes.acts.locking import acting_on
from processes.customer import addresses, channels
from processes.customer.letters import send_page
from processes.engine import performing
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.kinds import kind_of
from timers import clock

RENEW_AGAIN = timedelta(minutes=30)  # after an address was sent, before another is


def give_page(
    *, case_id: int, actor: Actor, name: str = "", email: str = "", phone: str = ""
) -> CustomerPage:
    """Send the customer the address of their page, in a letter. The one they had is open no
    longer. `name` and `email` are for kinds whose cases name no correspondent.

    Raises Invalid (no page for this kind; no way to send a code), CaseClosed, NotAllowed.
    """
    with acting_on(case_id, actor=actor) as (turn, run):
        access.require(actor, "work on case", run.case)
        return _give(turn, run, actor=actor, name=name, email=email, phone=phone.strip())


def _give(turn: Turn, run: Run, *, actor: Actor, name: str, email: str, phone: str) -> CustomerPage:
    declared = run.kind.page
    if declared is None or not settings.LONGCASE_CUSTOMER_PAGES:
        raise Invalid(f"A {run.kind.title} has no page for its customer.")
    to = getattr(run.case, "correspondent", None)
    if to is not None:
        name, email = to.name, to.email
    if not name.strip():
        raise Invalid("Say whom the page is for.", {"name": "Needed."})
    if email:
        _check_email(email)
    if phone and channels.telephone() is None:
        raise Invalid(
            "This installation sends no texts, so the code needs an e-mail address.",
            {"phone": "No texts are sent from here."},
        )
    if not email and not phone:
        raise Invalid(
            "The code that opens the page needs an e-mail address or a telephone number. Correct "
            "the facts of the case first, or give a number.",
            {"phone": "Needed without an e-mail address."},
        )
    page = addresses.make(
        case_id=run.case_id,
        party=declared.party,
        name=without_turns(name).strip(),
        email=email,
        phone=phone,
        given_with=f"event:{run.case_id}.{run.head_number + 1}",
    )
    turn.record(
        run,
        "page.given",
        {"page": page.pk, "party": page.party, "to": page.name, "until": page.expires_at},
        actor=actor.code,
        on_behalf=actor.on_behalf,
    )
    performing.schedule_aside(turn, run, send_page, {"page": page.pk})
    turn.project(run)
    return page


def _check_email(email: str) -> None:
    try:
        validate_email(email)
    except ValidationError as error:
        said = "This is no e-mail address."
        raise Invalid(said, {"email": said}) from error


def revoke_page(*, case_id: int, reason: str, actor: Actor) -> None:
    """Close the customer's page at once, also for whoever is in. Safe to repeat. Raises Invalid,
    NotAllowed."""
    if not reason.strip():
        raise Invalid("Say why; it stays with the case.", {"reason": "Needed."})
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        access.require(actor, "work on case", run.case)
        for page in CustomerPage.objects.filter(case_id=case_id, revoked_at=None):
            page.revoked_at = turn.now
            page.save(update_fields=["revoked_at"])
            turn.record(
                run,
                "page.revoked",
                {"page": page.pk, "party": page.party, "reason": reason.strip()},
                actor=actor.code,
                on_behalf=actor.on_behalf,
            )
        turn.project(run)


def renew_page(*, page: CustomerPage) -> None:
    """The customer asks for a new address, to where the last one was sent; they may hold one that
    a newer one replaced. Nothing happens, and nobody is told so, when the page was revoked, the
    case is closed, or one was sent just now."""
    case = Case.objects.get(pk=page.case_id)
    if case.closed_at is not None or kind_of(case.kind).page is None:
        return
    customer = party(page.party)
    try:
        with acting_on(page.case_id, actor=customer) as (turn, run):
            last = addresses.standing(page, lock=True)
            if last is None or last.given_at > clock.now() - RENEW_AGAIN:
                return
            _give(turn, run, actor=customer, name=last.name, email=last.email, phone=last.phone)
    except (CaseClosed, Invalid):
        return


def page_known_as(*, reference: str, email: str) -> CustomerPage | None:
    """The page whose customer can name both the reference and the address that we know."""
    if "\0" in reference + email:
        return None
    found = CustomerPage.objects.filter(
        case__reference__iexact=reference.strip(),
        email__iexact=email.strip(),
        revoked_at=None,
    ).exclude(email="")
    return found.first()
