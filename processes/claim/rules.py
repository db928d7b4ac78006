"""Pure decisions of claims and their parents, as docs/claim.md says them. Amounts are in euro."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from processes.accounts import is_iban
from processes.decisions.library import tables_beside
from timers import calendars
from timers.spans import months

TABLES = tables_beside(__file__)
WHO_APPROVES = TABLES["who_approves"]

RESUBMISSIONS = 6  # after these a claim is approved or rejected, and not returned again
RUN_WEEKDAYS = (0, 3)  # Monday and Thursday
RUN_TIME = time(17, 30)  # of the daily batch and of the payment runs
REMINDER_TIME = time(6)  # on the first of a month
LOOK_FROM = Decimal(10_000)  # insurance: from here every claim is looked at
DOUBLE_DAYS = 60  # the same amount to the same account within these is a double
TOO_EARLY_DAYS = 30  # insurance: damage so soon after the policy began
_CENT = Decimal("0.01")

# Whom the table names, the step at which they are asked, in this order, and their role.
STEP_OF = {
    "administration": "administration",
    "pre_approver": "pre_approval",
    "budget_owner": "budget",
    "supervisor": "supervision",
    "director": "direction",
}
ROLE_OF = {
    "administration": "administration",
    "pre_approval": "pre-approver",
    "budget": "budget owner",
    "supervision": "supervisor",
    "direction": "director",
}
# What people may correct. Approvals, payments and bookings are found by the process.
SAID_BY_APPLICANT = (
    "claimant_name",
    "email",
    "account",
    "unit",
    "budget",
    "amount",
    "description",
    "incurred_date",
)


def chain_of(decision: Mapping[str, Any]) -> str:
    """The steps of the chain that the table decided, in their order, with spaces between."""
    return " ".join(step for link, step in STEP_OF.items() if decision[link])


def next_step(steps: Sequence[str], step: str) -> str:
    """The step after this one of a chain, the first one from outside of it, "" after the last."""
    if step not in steps:
        return steps[0]
    rest = steps[steps.index(step) + 1 :]
    return rest[0] if rest else ""


def what_is_approved(facts: Any) -> str:
    """What an approval covers. Whatever of this changes is approved anew, by all."""
    parts = [f"{facts.amount:.2f}", facts.unit, facts.budget, getattr(facts, "account", "")]
    return " · ".join(parts)[:400]


def approved_amount(*, asked: Decimal, own_risk: Decimal, named: Any) -> Decimal:
    """What is paid: what the last approver named, never more than was asked; else all of it, less
    the claimant's own risk."""
    if named in (None, ""):
        return max(asked - own_risk, Decimal(0))
    return min(Decimal(str(named)).quantize(_CENT), asked)


def own_risk_now(own_risk: Decimal, paid_total: Decimal) -> Decimal:
    """The own risk of this part of a claim: it is borne once, by the first part."""
    return Decimal(0) if paid_total else own_risk


def reserve_after(*, reserve: Decimal, paid: Decimal, more_follows: bool) -> Decimal:
    """What is still held back for a claim once this was paid."""
    return max(reserve - paid, Decimal(0)) if more_follows else Decimal(0)


# -- payment runs


def next_batch(after: datetime) -> datetime:
    """The next daily batch after this moment: a working day, 17:30."""
    return _next_moment(after, weekdays=range(7))


def next_run(requested_at: datetime) -> datetime:
    """The run that pays what is requested now: Monday or Thursday, 17:30, where it is a working
    day. A run closes at 17:30 on the day before; the daily batch of that day is still in it."""
    calendar = calendars.default()
    run = requested_at
    while True:
        run = _next_moment(run, weekdays=RUN_WEEKDAYS)
        day_before = calendar.local(run).date() - timedelta(days=1)
        if requested_at <= calendar.at(day_before, RUN_TIME):
            return run


def _next_moment(after: datetime, *, weekdays: Sequence[int]) -> datetime:
    calendar = calendars.default()
    day = calendar.local(after).date()
    for _later in range(calendars.LONGEST_CLOSURE_DAYS + 7):
        moment = calendar.at(day, RUN_TIME)
        if moment > after and day.weekday() in weekdays and calendar.is_working(day):
            return moment
        day += timedelta(days=1)
    raise calendars.CalendarNeverOpens(f"No payment run within a year after {after:%d %b %Y}.")


# -- trips and policies


def begin_of(day: date) -> datetime:
    """The first moment of a day, where the organisation is."""
    return calendars.default().at(day, time())


def end_of(day: date) -> datetime:
    """The moment at which a day is over."""
    return begin_of(day + timedelta(days=1))


def first_reminder(trip_end: date, *, since: datetime, not_before: date | None = None) -> datetime:
    """When a traveller is first asked for the claim: the first of a month, a month after the trip
    at the earliest, and never at once: `since` is when we began to wait."""
    calendar = calendars.default()
    month_after = calendar.local(months(1).after(begin_of(trip_end))).date()
    tomorrow = calendar.local(since).date() + timedelta(days=1)
    return _first_of_month(max(month_after, tomorrow, not_before or month_after))


def reminder_after(last: datetime) -> datetime:
    """The next one: two months later, which is after 61 days as a rule."""
    day = calendars.default().local(months(2).after(last)).date()
    return _first_of_month(day)


def _first_of_month(day: date) -> datetime:
    """The first of a month, this day or the next one that is."""
    if day.day > 1:
        day = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    return calendars.default().at(day, REMINDER_TIME)


# -- what a reviewer should know


FLAGS = {
    "no_permit": "No approved permit",
    "permit_open": "The permit is not approved yet",
    "over_permit": "More than the permit allows",
    "late_permit": "Asked for after the trip began",
    "outside_policy": "Outside the time of the policy",
    "over_cover": "More than the policy covers",
    "double": "The same amount was claimed before",
    "early_damage": "Damage soon after the policy began",
    "large": "A large insurance claim",
}
SUSPICIOUS = ("double", "early_damage", "large")


def flags_in_words(flags: str) -> str:
    return "; ".join(FLAGS.get(flag, flag) for flag in flags.split())


def flags_of_claim(
    *,
    type: str,
    amount: Decimal,
    incurred_date: date | None,
    needs_permit: bool,
    parent: Mapping[str, Any] | None,
    doubles: int,
) -> list[str]:
    """What stands out. `parent` is what `activities.parent_of` found of the permit or policy."""
    found = []
    if type == "expense" and needs_permit and parent is None:
        found.append("no_permit")
    if parent and parent["kind"] == "travel_permit":
        if not parent["is_approved"]:
            found.append("permit_open")
        if parent["claimed"] + amount > parent["limit"]:
            found.append("over_permit")
    if parent and parent["kind"] == "policy":
        inside = incurred_date and parent["starts"] <= incurred_date <= parent["ends"]
        if not inside:
            found.append("outside_policy")
        elif (incurred_date - parent["starts"]).days < TOO_EARLY_DAYS:  # type: ignore[operator]
            found.append("early_damage")
        if parent["claimed"] + amount > parent["limit"]:
            found.append("over_cover")
    if type == "insurance" and amount >= LOOK_FROM:
        found.append("large")
    if doubles:
        found.append("double")
    return found


def suspicions(flags: Sequence[str]) -> list[str]:
    """Those of the flags for which a claim is looked at before anyone approves it."""
    return [flag for flag in flags if flag in SUSPICIOUS]


# -- what does not fit together


def unfit_claim(facts: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with facts that each fit by themselves: field → sentence."""
    wrong = {}
    account = facts.get("account")
    if account and not is_iban(account):
        wrong["account"] = _("This is no valid IBAN: its check digits do not fit.")
    if facts.get("amount") == 0 and not facts.get("is_draft"):
        wrong["amount"] = _("A claim is of more than 0.00; only a draft may lack its amount.")
    bound = (facts.get("paid_total") or 0) + (facts.get("approved_amount") or 0)
    if facts.get("amount") is not None and facts["amount"] < bound:
        wrong["amount"] = _("%(bound)s is approved or paid already; it cannot be less.") % {
            "bound": f"{bound:.2f}"
        }
    if facts.get("claim_type") == "insurance" and not facts.get("incurred_date"):
        wrong["incurred_date"] = _("Say on which day the damage happened; the cover depends on it.")
    return wrong


def unfit_permit(facts: Mapping[str, Any]) -> dict[str, str]:
    start, end = facts.get("trip_start"), facts.get("trip_end")
    if start and end and end < start:
        return {"trip_end": _("The trip ends before it begins.")}
    return {}


def unfit_policy(facts: Mapping[str, Any]) -> dict[str, str]:
    starts, ends = facts.get("starts_date"), facts.get("ends_date")
    if starts and ends and ends < starts:
        return {"ends_date": _("The policy ends before it begins.")}
    return {}


# -- facts that are kept as codes, as people read them


def _if_any(value: Any) -> str | None:
    """Tell a sum, a count or a yes as it is, and leave out what is not there."""
    return None if value else ""


# "" leaves a fact out, None tells it as it is. Which rule chose the chain stands in the history.
FACT_WORDS: dict[str, Callable[[Any], str | None]] = {
    "flags": flags_in_words,
    "chain": lambda steps: ", ".join(ROLE_OF[step] for step in steps.split()),
    "rule": lambda rule: "",
    "what_is_approved": lambda covered: "",
    **dict.fromkeys(
        ("rounds", "is_draft", "looked_at", "more_follows", "own_risk", "reserve", "paid_total"),
        _if_any,
    ),
}
