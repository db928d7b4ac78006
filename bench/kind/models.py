"""Kinds with next to nothing in them, so that what is measured is the engine."""

from django.db import models

from cases.fsm import transition
from cases.models import Case


class BenchLoan(Case):
    """Four activities, two messages from outside and a timer."""

    class Step(models.TextChoices):
        RUNNING = "running"
        CLOSED = "closed"

    kind_name = "benchloan"
    closing_steps = (Step.CLOSED,)

    name = models.CharField(max_length=40)  # what the one who measures calls it
    timer_s = models.FloatField(default=1.0)

    @transition(source=Step.RUNNING, target=Step.CLOSED)
    def close(self) -> None:
        pass


class Sleeper(Case):
    """An activity, a sleep until a moment, an activity."""

    class Step(models.TextChoices):
        ASLEEP = "asleep"
        AWAKE = "awake"

    kind_name = "sleeper"
    closing_steps = (Step.AWAKE,)

    name = models.CharField(max_length=40)
    due_at = models.DateTimeField()

    @transition(source=Step.ASLEEP, target=Step.AWAKE)
    def wake(self) -> None:
        pass


class Repeater(Case):
    """So many activities in one step, then messages without end: for long and old histories."""

    class Step(models.TextChoices):
        REPEATING = "repeating"
        STOPPED = "stopped"

    kind_name = "repeater"
    closing_steps = (Step.STOPPED,)

    count = models.IntegerField(default=0)

    @transition(source=Step.REPEATING, target=Step.REPEATING, staff=True, role="caseworker")
    def again(self) -> None:
        pass

    @transition(source=Step.REPEATING, target=Step.STOPPED, staff=True, role="caseworker")
    def stop(self) -> None:
        pass
