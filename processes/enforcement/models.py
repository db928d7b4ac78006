"""A fine: its facts, and the edges of its graph. Amounts are in euro."""

from decimal import Decimal
from functools import partial
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from cases.fsm import transition
from cases.models import Case
from processes.letters import Correspondent


class Step(models.TextChoices):
    CREATED = "created", _("Created")
    SENT = "sent", _("Sent")
    NOTIFIED = "notified", _("Notified")
    PENALISED = "penalised", _("Penalised")
    CANCELLING = "cancelling", _("Being cancelled")
    PAID = "paid", _("Paid")
    COLLECTION = "collection", _("Handed to collection")
    CANCELLED = "cancelled", _("Cancelled")


OPEN = (Step.CREATED, Step.SENT, Step.NOTIFIED, Step.PENALISED)
by_staff = partial(transition, staff=True, role="caseworker")
euro = partial(models.DecimalField, max_digits=9, decimal_places=2)


class Fine(Case):
    """A fine for one offence, from the notice to its payment or collection."""

    Step = Step
    kind_name = "enforcement"
    closing_steps = (Step.PAID, Step.COLLECTION, Step.CANCELLED)

    offender_name = models.CharField(_("name of the offender"), max_length=200)
    email = models.EmailField(_("e-mail address"), blank=True, default="")
    offence = models.CharField(_("offence"), max_length=200)
    amount = euro(_("fine"))
    raised_amount = euro(_("fine after 60 days"), help_text=_("Half of the legal maximum."))
    expenses = euro(_("expenses of the notice"), default=Decimal(0))
    paid = euro(_("paid"), default=Decimal(0))
    prefect = models.CharField(_("appeal to the prefect"), max_length=20, blank=True, default="")
    judge = models.CharField(_("appeal to the judge"), max_length=20, blank=True, default="")
    correspondent = property(lambda self: Correspondent(self.offender_name, self.email))

    @transition(source=Step.CREATED, target=Step.SENT, label=_("Send the notice"))
    def send(self, **found: Any) -> None:
        self.__dict__.update(found)

    @transition(source=Step.SENT, target=Step.NOTIFIED, label=_("Record the delivery"))
    def notify(self, **found: Any) -> None:
        self.__dict__.update(found)

    @transition(source=Step.NOTIFIED, target=Step.PENALISED, label=_("Raise the fine"))
    def penalise(self, **found: Any) -> None:
        self.__dict__.update(found)

    @transition(source=Step.PENALISED, target=Step.PENALISED, label=_("Book a part"))
    def book_part(self, **found: Any) -> None:
        self.__dict__.update(found)

    @transition(source=OPEN, target=Step.PAID, label=_("Close as paid"))
    def close_paid(self, **found: Any) -> None:
        self.__dict__.update(found)

    @by_staff(source=Step.PENALISED, target=Step.COLLECTION, label=_("Hand to collection"))
    def hand_over(self) -> None:
        """The collector takes in what is still due."""

    @by_staff(source=OPEN, target=Step.CANCELLING, asks=["reason"], label=_("Cancel the fine"))
    def withdraw(self, *, reason: str, **found: Any) -> None:
        self.__dict__.update(found, outcome_reason=reason)

    @transition(source=Step.CANCELLING, target=Step.CANCELLED, label=_("Close as cancelled"))
    def close_cancelled(self) -> None:
        pass
