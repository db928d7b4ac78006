"""What somebody who was fined reads on their page."""

from django.utils.translation import gettext_lazy as _

from processes.customer.page import EVENTS, Answer, Page, Told
from processes.enforcement.models import OPEN, Step

DUE = {
    "offence": _("What the fine is for"),
    "amount": _("The fine, in euro"),
    "expenses": _("Expenses of the notice, in euro"),
    "paid": _("You have paid, in euro"),
}
HOW = _("Pay to the account that the notice names, with your reference.")
TERM = [
    HOW,
    _("If you pay all of it, the case is closed."),
    _("If you do not pay within 60 days of getting the notice, the fine is raised."),
]


def _appeal(court: str, label: object, done: object) -> Answer:
    return Answer(
        f"appeal_to_{court}",
        label=label,
        about=_("You say that the fine is wrong. You get a letter with what is decided."),
        done=done,
        follows=_("Your appeal is passed on. Until it is decided the terms of the fine go on."),
        steps=OPEN,
    )


PAGE = Page(
    title=_("Your fine"),
    party="offender",
    opened=_("You were fined"),
    asked_of=("the offender",),
    tells=EVENTS,
    steps={
        Step.CREATED: Told(
            _("The notice is being made"),
            _("A notice of your fine is on its way."),
            TERM,
            facts=DUE,
        ),
        Step.SENT: Told(
            _("The notice was sent"), _("The notice of your fine was sent to you."), TERM, facts=DUE
        ),
        Step.NOTIFIED: Told(
            _("You got the notice"),
            _("You have 60 days from the day on which you got the notice, to pay or to appeal."),
            TERM,
            facts=DUE,
        ),
        Step.PENALISED: Told(
            _("The fine was raised"),
            _("The fine was not paid in time, so it was raised. Pay what is still due."),
            [
                HOW,
                _("If you pay all of it, the case is closed."),
                _("If you do not, a collector takes in what is still due."),
            ],
            facts={
                **DUE,
                "amount": _("The fine at first, in euro"),
                "raised_amount": _("The fine now, in euro"),
            },
        ),
        Step.CANCELLING: Told(_("The fine is cancelled"), _("Your fine is being cancelled.")),
        Step.PAID: Told(_("The fine was paid"), _("Your fine is paid. Thank you."), is_good=True),
        Step.COLLECTION: Told(
            _("Handed to the collector"), _("A collector now takes in what is still due.")
        ),
        Step.CANCELLED: Told(
            _("The fine was cancelled"),
            _("Your fine was cancelled. You do not have to pay it."),
            is_good=True,
        ),
    },
    answers=[
        _appeal("prefect", _("Appeal to the prefect"), _("You appealed to the prefect")),
        _appeal("judge", _("Appeal to the judge"), _("You appealed to the judge")),
    ],
)
