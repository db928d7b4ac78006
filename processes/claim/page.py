"""What somebody who claims money reads on their page.

A look at what stands out is told like any other check: who is looked at must not learn of it.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from processes.claim.models.chain import CHAIN
from processes.claim.models.claim import WITHDRAWABLE, Step
from processes.customer.page import EVENTS, Answer, Field, Page, Told, Withdrawal

CHECKED = Told(
    _("We look at your claim"),
    _("Your claim is being looked at. You do not have to do anything."),
    [
        _("If it is approved, we pay it with the next payments."),
        _("If something is not right, you get it back, or a letter that says why not."),
    ],
)
PAID_SOON = Told(
    _("Your claim was approved"),
    _("Your claim was approved, and is paid with the next payments."),
    [_("You get a letter when it has been paid.")],
)
YOURS = [
    _("When you send it again, it is looked at anew."),
    _("If you do not, it is closed without a payment in the end."),
]
AGAIN = [
    Field("amount", _("Amount in euro, if it changed"), kind="money", required=False),
    Field("description", _("What the claim is for, if it changed"), required=False),
]

PAGE = Page(
    title=_("Your claim"),
    opened=_("We received your claim"),
    tells=EVENTS,
    steps={
        Step.DRAFT: Told(
            _("Your claim was saved"),
            _("Your claim is saved, and not sent in yet. Nobody looks at it until you do."),
            [
                _("When you send it in, we look at it."),
                _("A claim that is never sent in lapses after 180 days."),
            ],
            facts={"amount": _("You claim, in euro")},
        ),
        Step.RECEIVED: CHECKED,
        Step.FRAUD_LOOK: CHECKED,
        **dict.fromkeys((Step(one) for one in CHAIN), CHECKED),
        Step.RETURNED: Told(
            _("You have your claim back"),
            _("Something in your claim must be put right. Our letter says what."),
            YOURS,
            facts={"amount": _("You claim, in euro")},
        ),
        Step.TAKEN_BACK: Told(
            _("You are changing your claim"),
            _("You took your claim back to change it. Send it in again when it is right."),
            YOURS,
            facts={"amount": _("You claim, in euro")},
        ),
        Step.APPROVED: PAID_SOON,
        Step.PAYMENT_REQUESTED: PAID_SOON,
        Step.PAYING: PAID_SOON,
        Step.PART_PAID: Told(
            _("A part was paid"),
            _("A part of your claim was paid. You may send in further costs within a year."),
            [_("Without further costs the claim is closed with what was paid.")],
        ),
        Step.WITHDRAWING: Told(_("The claim is taken back"), _("Your claim is being taken back.")),
        Step.PAID: Told(_("The claim was paid"), _("Your claim has been paid."), is_good=True),
        Step.REJECTED: Told(
            _("We decided"), _("Your claim is not paid. Our letter says why, and what you can do.")
        ),
        Step.WITHDRAWN: Told(_("The claim ended"), _("Your claim was taken back.")),
        Step.LAPSED: Told(
            _("The claim lapsed"), _("Your claim was never sent in, so it has lapsed.")
        ),
    },
    answers=[
        Answer(
            "submitted",
            label=_("Send my claim in"),
            about=_("Leave empty what is right already."),
            done=_("You sent your claim in"),
            follows=_("We look at your claim from now on."),
            fields=AGAIN,
            steps=(Step.DRAFT,),
            is_urgent=True,
        ),
        Answer(
            "resubmitted",
            label=_("Send my claim in again"),
            about=_("Leave empty what is right already."),
            done=_("You sent your claim in again"),
            follows=_("We look at your claim again."),
            fields=AGAIN,
            steps=(Step.RETURNED, Step.TAKEN_BACK),
            is_urgent=True,
        ),
        Answer(
            "taken_back",
            label=_("Take the claim back to change it"),
            about=_("You need more time to put it right."),
            done=_("You took your claim back to change it"),
            follows=_("Nothing happens until you send it in again."),
            steps=(Step.RETURNED,),
        ),
        Answer(
            "further_costs",
            label=_("Send in further costs"),
            about=_("Costs that belong to this claim and came later."),
            done=_("You sent in further costs"),
            follows=_("We look at the further costs as we did at the first."),
            fields=[
                Field("amount", _("Amount in euro"), kind="money"),
                Field("description", _("What they are for"), required=False),
            ],
            steps=(Step.PART_PAID,),
        ),
    ],
    withdrawal=Withdrawal(
        "withdraw",
        _("Give my claim up"),
        _("Your claim ends, and nothing more is paid. You get a letter. You cannot undo this."),
        WITHDRAWABLE,
    ),
)
