"""What a business that is taken on, and its owners, read on their pages.

Why somebody was refused may not always be told: the letter says what may be said, the page nothing.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from processes.customer.page import EVENTS, Answer, Field, Page, Told, Withdrawal
from processes.onboarding.models import WITHDRAWABLE, OwnerStep, Step

CHECKING = Told(
    _("We look at your request"),
    _("We check what we need to know of your business. You do not have to do anything."),
    [
        _("If we need papers, we ask you for them."),
        _("When we have decided, you get a letter."),
    ],
)
RELATION = Told(
    _("We do business"),
    _("Your business is a relation of ours. From time to time we look at it again."),
    [_("If something about your business changes, tell us here.")],
    is_good=True,
)

PAGE = Page(
    title=_("Your business with us"),
    party="business",
    opened=_("We received your request"),
    asked_of=("the business",),
    tells=EVENTS,
    steps={
        Step.RECEIVED: CHECKING,
        Step.CHECKS: CHECKING,
        Step.OWNERS: CHECKING,
        Step.AWAITING_DOCUMENTS: Told(
            _("We ask for your papers"),
            _("We need papers from your business before we can go on."),
            [
                _("When all papers have come and are good, we decide on your request."),
                _("If they do not come in time, your request lapses. You may ask again."),
            ],
        ),
        Step.ASSESSMENT: CHECKING,
        Step.APPROVAL: CHECKING,
        Step.ACTIVE: RELATION,
        Step.REVIEW: RELATION,
        Step.OFFBOARDING: Told(
            _("The relation is being ended"), _("We are ending our relation. You have a letter.")
        ),
        Step.RETAINED: Told(
            _("The relation was ended"), _("Our relation has ended. We keep the file by law.")
        ),
        Step.REFUSING: CHECKING,
        Step.WITHDRAWING: Told(
            _("The request is taken back"), _("Your request is being taken back.")
        ),
        Step.ENDED: Told(_("The relation was ended"), _("Our relation has ended.")),
        Step.REFUSED: Told(
            _("We decided"), _("We cannot take your business on. You have a letter from us.")
        ),
        Step.LAPSED: Told(
            _("The request lapsed"),
            _("The papers did not come in time, so your request has lapsed. You may ask again."),
        ),
        Step.WITHDRAWN: Told(_("The request ended"), _("Your request was taken back.")),
    },
    answers=[
        Answer(
            "change_reported",
            label=_("Tell us of a change"),
            about=_("Such as another owner, another address, or another kind of business."),
            done=_("You told us of a change"),
            follows=_("We look at your business again, and ask you if we need more."),
            fields=[Field("what", _("What has changed"))],
            steps=(Step.ACTIVE,),
        )
    ],
    withdrawal=Withdrawal(
        "withdraw",
        _("Take our request back"),
        _("Your request ends. You get a letter. This cannot be undone; you may ask again."),
        WITHDRAWABLE,
    ),
)

OWNER_PAGE = Page(
    title=_("Your part in a business"),
    party="owner",
    opened=_("A business named you as one of its owners"),
    asked_of=("the owner",),
    tells=EVENTS,
    steps={
        OwnerStep.CHECKS: Told(
            _("We check your details"),
            _("The law has us check who owns a business. You do not have to do anything."),
            [_("When we are done, the business hears from us.")],
        ),
        OwnerStep.CLEARED: Told(_("We are done"), _("We have all that we need of you. Thank you.")),
        OwnerStep.NOT_CLEARED: Told(
            _("We are done"), _("We have finished. The business hears from us.")
        ),
        OwnerStep.WITHDRAWN: Told(_("We stopped"), _("We no longer need anything of you.")),
    },
)
