"""What happens with a beneficial owner: checked like the business, in a case of their own."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from processes.engine.words import all_of
from processes.kinds import Kind
from processes.onboarding import page
from processes.onboarding.activities import check_person, screen
from processes.onboarding.models import BeneficialOwner, OwnerStep
from processes.onboarding.screening import is_cleared
from processes.retention import Retention

owner = Kind(
    BeneficialOwner,
    title=_("Beneficial owner"),
    prefix="BO",
    initial=OwnerStep.CHECKS,
    main_line=[
        (_("Checks"), [OwnerStep.CHECKS]),
        (_("Cleared"), [OwnerStep.CLEARED]),
    ],
    correctable=(),
    found_by=("full_name", "id_number"),
    page=page.OWNER_PAGE,
    # They are kept with the business that they own, and after it for as long as a refusal is.
    retention={"": Retention(years=5, basis=_("law against money laundering: 5 years"))},
    identified_by=("id_number",),
    personal={"born_date": (), "is_exposed": ("exposed", "politically_exposed")},
    plain=("country",),
)


@owner.step(OwnerStep.CHECKS)
async def checks(case: BeneficialOwner) -> Any:
    """Identity and sanctions lists side by side; a possible match goes to two people."""
    person, found = await all_of(
        check_person(id_number=case.id_number, name=case.full_name),
        screen(name=case.full_name, country=case.country, born=str(case.born_date)),
    )
    if not person["confirmed"]:
        return case.stop(reason=person["reason"] or "The identity could not be confirmed.")
    if not await is_cleared(case.full_name, found["hits"]):
        return case.stop(reason="A match on the sanctions lists was confirmed.")
    return case.clear(is_exposed=found["is_exposed"])
