"""What somebody who asks for a permit reads on their page."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from processes.customer.page import EVENTS, Answer, Field, Page, Told, Withdrawal
from processes.permit.models import AT_WORK, Step

ASSESSED = Told(
    _("We assess your application"),
    _("Our experts look at your plan. You do not have to do anything."),
    [
        _("If the plan fits the rules, you get the permit."),
        _("If it does not, you get a decision that says why, and how to object."),
    ],
)
CHECKED = Told(
    _("We check your application"),
    _("We check whether we have all that we need."),
    [
        _("If all is there, we assess your plan."),
        _("If something is missing, we ask you for it."),
    ],
)
DECIDED = _("We decided")


PAGE = Page(
    title=_("Your permit"),
    opened=_("We received your application"),
    tells=EVENTS,
    clocks={
        "term": _(
            "By law we have to decide by this day: 56 days from the day on which your application "
            "came, once 42 days longer if we tell you why. While we wait for papers from you, "
            "the days do not count, and the day moves."
        ),
        "objection": _(
            "You, and whoever else it concerns, may object to the decision until this day: 42 days."
        ),
        "appeal": _("Whoever objected may go to court until this day: 42 days."),
    },
    steps={
        Step.RECEIPT: CHECKED,
        Step.COMPLETENESS: CHECKED,
        Step.AWAITING_DATA: Told(
            _("We ask for what is missing"),
            _("We cannot assess your plan yet: something is missing."),
            [
                _("When it has come, we look at your application again."),
                _("If it does not come in time, we may leave your application untreated."),
            ],
        ),
        Step.ASSESSMENT: ASSESSED,
        Step.DRAFT: ASSESSED,
        Step.DECISION: ASSESSED,
        Step.SENDING: Told(
            _("The decision is being sent"),
            _("The decision is made. You get it in a letter."),
            [_("After that there are 42 days in which people may object.")],
        ),
        Step.OBJECTION_TERM: Told(
            DECIDED,
            _("You have our decision. Until the day below people may object to it."),
            [
                _("If nobody objects, the decision stands."),
                _("If somebody does, we hear everybody and decide again."),
            ],
        ),
        Step.OBJECTION: Told(
            _("An objection is treated"),
            _("Somebody objected to the decision. We hear those concerned and decide again."),
            [_("You get a letter with what we decide.")],
        ),
        Step.APPEAL_TERM: Told(
            _("We decided on the objection"),
            _("You have a letter with what we decided. Whoever objected may go to court."),
            [_("If nobody does, the decision stands.")],
        ),
        Step.APPEAL: Told(
            _("The court looks at it"),
            _("Somebody went to court. We wait for the judgment."),
            [_("You get a letter with what the court says.")],
        ),
        Step.IRREVOCABLE: Told(
            _("The decision stands"), _("Nobody can object to the decision any more.")
        ),
        Step.SUSPENDED: Told(
            _("Your application rests"),
            _("Your application is put on hold. Our letter says why, and what is needed."),
            [_("We tell you when we go on.")],
        ),
        Step.WITHDRAWING: Told(
            _("The application is taken back"), _("Your application is being taken back.")
        ),
        Step.ARCHIVED: Told(
            _("The file was closed"), _("Your file is closed. The decision that you have stands.")
        ),
        Step.NO_PERMIT_NEEDED: Told(
            _("You need no permit"),
            _("You need no permit for your plan. Our letter says why."),
            is_good=True,
        ),
        Step.WITHDRAWN: Told(_("The application ended"), _("Your application was taken back.")),
    },
    answers=[
        Answer(
            "nothing_comes",
            label=_("I send nothing more"),
            about=_("Tell us when you cannot, or will not, send what is missing."),
            done=_("You told us that nothing more comes"),
            follows=_(
                "We go on without it, and may leave your application untreated. You cannot undo "
                "this."
            ),
            fields=[Field("reason", _("Why nothing more comes"))],
            steps=(Step.AWAITING_DATA,),
        ),
        Answer(
            "objection",
            label=_("Object to the decision"),
            about=_("Say what is wrong with the decision, and why."),
            done=_("You objected to the decision"),
            follows=_("We treat your objection when the term is over. You get a confirmation."),
            fields=[Field("grounds", _("What is wrong with the decision"))],
            fills={"by": lambda case, page: page.name, "email": lambda case, page: page.email},
            steps=(Step.OBJECTION_TERM,),
        ),
    ],
    withdrawal=Withdrawal(
        "withdraw",
        _("Take my application back"),
        _(
            "Your application ends, and so does a permit that you have for it. You get a letter. "
            "You cannot undo this."
        ),
        (*AT_WORK, Step.SUSPENDED),
    ),
)
