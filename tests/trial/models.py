"""A kind for tests of the engine: each step tries one of its words."""

from django.db import models

from cases.fsm import transition
from cases.models import Case


class Trial(Case):
    """A case whose `script` says which words its code tries."""

    class Step(models.TextChoices):
        TRYING = "trying"
        SECOND = "second"
        STAFF = "staff"
        DONE = "done"
        FAILED = "failed"
        WITHDRAWN = "withdrawn"

    kind_name = "trial"
    closing_steps = (Step.DONE, Step.FAILED, Step.WITHDRAWN)

    script = models.CharField(max_length=60)
    amount = models.DecimalField(max_digits=12, decimal_places=2, default=0)
    result = models.CharField(max_length=500, default="", blank=True)

    OPEN = (Step.TRYING, Step.SECOND, Step.STAFF)

    @transition(source=Step.TRYING, target=Step.SECOND)
    def go_second(self) -> None:
        pass

    @transition(source=Step.TRYING, target=Step.SECOND, staff=True, label="Move to the second step")
    def return_to_second(self) -> None:
        pass

    @transition(source=Step.SECOND, target=Step.TRYING)
    def go_back(self) -> None:
        self.amount += 1

    @transition(source=Step.TRYING, target=Step.STAFF)
    def ask_staff(self) -> None:
        pass

    @transition(source=OPEN, target=Step.DONE, staff=True, label="Finish the trial")
    def finish(self, *, result: str = "") -> None:
        self.result = result

    @transition(source=OPEN, target=Step.FAILED)
    def fail(self, *, reason: str) -> None:
        self.outcome_reason = reason

    @transition(
        source=Step.FAILED,
        target=Step.TRYING,
        reopens=True,
        asks=["reason"],
        label="Reopen the trial",
        confirm="It is tried once more.",
    )
    def reopen(self, *, reason: str) -> None:
        self.result = ""

    @transition(
        source=Step.WITHDRAWN,
        target=Step.SECOND,
        reopens=True,
        role="supervisor",
        asks=["reason"],
        label="Reopen at the second step",
    )
    def reopen_second(self, *, reason: str) -> None:
        pass

    @transition(
        source=OPEN, target=Step.WITHDRAWN, staff=True, asks=["reason"], label="Withdraw the trial"
    )
    def withdraw(self, *, reason: str) -> None:
        self.outcome_reason = reason
