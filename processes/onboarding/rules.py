"""Pure decisions of an onboarding, as docs/onboarding.md says them. Amounts are in euro a year."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from processes.decisions.library import tables_beside

TABLES = tables_beside(__file__)
POINTS = TABLES["points"]
RISK = TABLES["risk"]
PAPERS_NEEDED = TABLES["papers"]

OWNERS_MOST = 20  # of one business: each is a case of its own
OWNERS_AT_ONCE = 5  # that are looked at side by side
RISKS = ("low", "normal", "high")
HOME = "NL"
NEAR = (  # the European Economic Area, Switzerland and the United Kingdom
    "AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NO PL PT RO SE SI SK"
)
LISTED = frozenset({"IR", "KP", "MM"})  # of high risk

PAPERS = {
    "extract": "Extract from the register",
    "identity": "Identity of the person who signs",
    "ownership": "Chart of who owns what",
    "funds": "Where the money comes from",
    "bank_letter": "Letter of the bank on the account",
}
# What people may correct. Findings, ratings and papers are the process's.
SAID_BY_BUSINESS = (
    "name",
    "relation",
    "email",
    "registration_number",
    "country",
    "activity",
    "turnover",
    "owners",
)


class OwnerLine(NamedTuple):
    """One owner, as the request names them."""

    full_name: str
    born_date: date
    country: str
    share: Decimal  # percent
    id_number: str


class Rating(NamedTuple):
    """The risk of a business, and what follows from it."""

    points: int
    risk: str
    review_years: int
    approvers: tuple[str, ...]  # roles, each another person

    @classmethod
    def of(cls, points: int, decision: Any) -> Rating:
        """What the table of risks says of these points."""
        roles = (decision["approver"], decision["second_approver"])
        return cls(
            points,
            decision["risk"],
            decision["review_years"],
            tuple(role for role in roles if role != "nobody"),
        )

    def facts(self) -> dict[str, Any]:
        """What the case keeps of it."""
        return {"points": self.points, "risk": self.risk, "review_years": self.review_years}


def owners(text: str) -> list[OwnerLine]:
    """The owners of a request: one a line, "name; day of birth; country; share; id number".

    Raises ValueError that names the line and what is wrong with it.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            found.append(_owner(number, [part.strip() for part in line.split(";")]))
    if len(found) > OWNERS_MOST:
        raise ValueError(
            _("%(count)s owners; one case takes at most %(most)s.")
            % {"count": len(found), "most": OWNERS_MOST}
        )
    if sum(owner.share for owner in found) > 100:
        raise ValueError(_("The shares are more than 100 % together."))
    return found


def _owner(number: int, parts: list[str]) -> OwnerLine:
    def wrong(what: Any) -> ValueError:
        return ValueError(_("Line %(number)s: %(what)s") % {"number": number, "what": what})

    if len(parts) != 5 or not all(parts):
        raise wrong(_("write name; day of birth; country; share; id number."))
    name, born, country, share, id_number = parts
    if len(name) > 200 or len(id_number) > 20:
        raise wrong(_("a name has at most 200 characters, an id number 20."))
    try:
        born_date = date.fromisoformat(born)
    except ValueError:
        raise wrong(_("the day of birth is written as 1970-05-31.")) from None
    if not (len(country) == 2 and country.isascii() and country.isalpha() and country.isupper()):
        raise wrong(_("the country is two capital letters, such as NL."))
    try:
        part = Decimal(share.removesuffix("%").strip())
    except InvalidOperation:
        part = Decimal(-1)
    if not part.is_finite() or not 0 <= part <= 100 or part != round(part, 2):
        raise wrong(_("the share is a number from 0 to 100, with at most two decimals."))
    return OwnerLine(name, born_date, country, part, id_number)


def in_groups(found: list[OwnerLine]) -> list[list[OwnerLine]]:
    """Owners in the groups in which they are looked at."""
    step = OWNERS_AT_ONCE
    return [found[place : place + step] for place in range(0, len(found), step)]


def place_of(country: str) -> str:
    """How well we see a country from here: home, near, far or listed."""
    if country in LISTED:
        return "listed"
    if country == HOME:
        return "home"
    return "near" if country in NEAR.split() else "far"


def farthest(countries: list[str]) -> str:
    """The place of the country that we see the least."""
    order = ("home", "near", "far", "listed")
    return max((place_of(country) for country in countries), key=order.index)


def risk_facts(case: Any) -> dict[str, Any]:
    """What the table of points asks of a business, but for what the checks found."""
    known = owners(case.owners)
    return {
        "place": farthest([case.country, *(owner.country for owner in known)]),
        "activity": case.activity,
        "owned": sum(owner.share for owner in known) if known else Decimal(100),
        "turnover": case.turnover,
    }


def is_worse(risk: str, than: str) -> bool:
    return RISKS.index(risk) > RISKS.index(than)


def what_is_checked(case: Any) -> str:
    """The facts on which checks and ratings rest. They may be corrected at any time, and a check
    covers only what it looked at."""
    parts = (case.name, case.registration_number, case.country, case.activity, case.turnover)
    return "\n".join([*map(str, parts), case.owners.strip()])


def papers_named(result: Mapping[str, Any]) -> list[str]:
    """The papers that a reviewer ticked on the form."""
    return [name for name in PAPERS if result.get(name)]


def words_for(papers: list[str]) -> list[str]:
    """Papers as the business reads them."""
    return [PAPERS.get(name, name.replace("_", " ").capitalize()) for name in papers]


def unfit(facts: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with facts that each fit by themselves: field → sentence."""
    try:
        owners(facts.get("owners", ""))
    except ValueError as error:
        return {"owners": str(error)}
    return {}


def owners_in_words(text: str) -> str:
    """The owners of a request for people: "Zoë Bos (NL), 60 %; Ann Bos (BE), 40 %"."""
    try:
        found = owners(text)
    except ValueError:
        return text
    return "; ".join(
        f"{one.full_name} ({one.country}), {one.share.normalize():f} %" for one in found
    )


def _if_any(value: Any) -> str | None:
    return None if value else ""


# Facts as people read them. "" leaves one out that says nothing; None tells it as it is.
FACT_WORDS: dict[str, Callable[[Any], str | None]] = {
    "owners": owners_in_words,
    "checked": lambda facts: "",
    "missing_papers": lambda names: ", ".join(words_for(names.split())),
    "review_years": _if_any,
    "reviews": _if_any,
    "is_reason_told": lambda told: "" if told else None,
}
