"""What an applicant for a loan reads on their page."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from processes.customer.page import EVENTS, Answer, Field, Page, Told, Withdrawal
from processes.loan.models import WITHDRAWABLE, Step

LOOKING = Told(
    _("We look at your application"),
    _("We check your application and your papers. You do not have to do anything."),
    [
        _("If we can lend to you, we send you an offer."),
        _("If we cannot, we send you a letter that says why."),
    ],
)

PAGE = Page(
    title=_("Your loan application"),
    opened=_("We received your application"),
    asked_of=("applicant",),
    tells=EVENTS,
    steps={
        Step.RECEIVED: Told(
            _("We check your details"),
            _("We have your application and check who you are and whether the loan fits you."),
            [
                _("If all is well, we ask you for the papers that we need."),
                _("If we cannot lend to you, we send you a letter that says why."),
            ],
        ),
        Step.CHECKS: Told(
            _("We check your details"),
            _("We have your application and check who you are and whether the loan fits you."),
            [
                _("If all is well, we ask you for the papers that we need."),
                _("If we cannot lend to you, we send you a letter that says why."),
            ],
        ),
        Step.AWAITING_DOCUMENTS: Told(
            _("We ask for your papers"),
            _("We need papers from you before we can go on."),
            [
                _("When all papers have come and are good, we look at your application."),
                _("If they do not come in time, your application lapses. You may apply again."),
            ],
        ),
        Step.UNDERWRITING: LOOKING,
        Step.APPRAISAL: Told(
            _("Your security is being appraised"),
            _("Somebody looks at what stands for the loan, and tells us its value."),
            [_("After that we decide on your application.")],
        ),
        Step.DECISION: LOOKING,
        Step.OFFER: Told(
            _("We made you an offer"),
            _("We can lend to you. Tell us whether you accept our offer."),
            [
                _("If you accept, we pay the loan out."),
                _("If you decline, or do not answer in time, your application ends."),
            ],
            facts={
                "amount": _("You borrow, in euro"),
                "term_months": _("You pay back in, months"),
                "interest_rate": _("Interest a year, in per cent"),
                "monthly_payment": _("You pay each month, in euro"),
            },
        ),
        Step.PAYOUT: Told(
            _("You accepted, and we pay out"),
            _("You accepted our offer. The money is on its way to you."),
            [_("You get a letter when it has been paid.")],
        ),
        Step.WITHDRAWING: Told(
            _("The application is taken back"), _("Your application is being taken back.")
        ),
        Step.DECLINING: LOOKING,
        Step.PAID_OUT: Told(
            _("The loan was paid out"), _("Your loan has been paid out."), is_good=True
        ),
        Step.DECLINED: Told(
            _("We decided"), _("We cannot lend to you. Our letter says why, and what you can do.")
        ),
        Step.LAPSED: Told(
            _("The application lapsed"),
            _("The papers did not come in time, so your application lapsed. You may apply again."),
        ),
        Step.EXPIRED: Told(
            _("The offer expired"), _("You did not answer our offer in time, so it has expired.")
        ),
        Step.WITHDRAWN: Told(_("The application ended"), _("Your application has ended.")),
    },
    answers=[
        Answer(
            "offer_answer",
            label=_("Answer our offer"),
            about=_("Read the offer above, and in the letter that we sent you, before you answer."),
            done=_("You answered our offer"),
            choice="answer",
            choices=[
                (
                    "accept",
                    _("I accept the offer"),
                    _("You take the loan on these terms, and we pay it out. You cannot undo this."),
                ),
                (
                    "decline",
                    _("I decline the offer"),
                    _("Your application ends, and no money is paid. You cannot undo this."),
                ),
            ],
            fields=[Field("reason", _("Why you decline"), required=False)],
            steps=(Step.OFFER,),
            is_urgent=True,
        )
    ],
    withdrawal=Withdrawal(
        "withdraw",
        _("Take my application back"),
        _("Your application ends. You get a letter. This cannot be undone; you may apply again."),
        WITHDRAWABLE,
    ),
)
