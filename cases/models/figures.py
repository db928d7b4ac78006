"""Figures of past days. Written by the timer service, and made anew from history by a command."""

from __future__ import annotations

from django.db import models


class TeamDay(models.Model):
    """How many open cases a team had at the end of a day, or so far today."""

    team = models.ForeignKey("cases.Team", on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    in_hand = models.IntegerField(default=0)
    waiting = models.IntegerField(default=0)
    in_review = models.IntegerField(default=0)
    past_limit = models.IntegerField(default=0)  # of all three

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "day"], name="team_day_once")]

    def __str__(self) -> str:
        return f"{self.team} on {self.day}"


class StepDay(models.Model):
    """Visits of a step that ended on a day, by how many calendar days they took. A case counts for
    the team that it belonged to when this was written."""

    team = models.ForeignKey("cases.Team", on_delete=models.CASCADE, related_name="+")
    day = models.DateField()
    kind = models.CharField(max_length=40)
    step = models.CharField(max_length=60)
    took_days = models.IntegerField()
    visits = models.IntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "day", "kind", "step", "took_days"], name="step_day_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.step} of {self.kind}, {self.took_days} days on {self.day}"
