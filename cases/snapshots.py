"""Writing down the figures of each day, so that a page reads a few rows instead of all history.

The timer service does it every hour; the row of today is replaced until the day is over. What was
missed can be made anew from history: `manage.py teamfigures`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta

from django.db import connection, transaction
from django.db.models import Count, Max
from django.utils import timezone

from cases.dates import local_date
from cases.figures import STEP_DAYS
from cases.models import Case, Team, TeamDay
from cases.teamcases import Moments, told

_COUNTS = ["in_hand", "waiting", "in_review", "past_limit"]
_PHASES = {"hand": "in_hand", "waiting": "waiting", "review": "in_review"}


def write_today(moments: Moments) -> int:
    """Write what each team has now, and the days that visits took which ended since the last
    time. Safe to repeat. Returns how many teams there are. Restricted cases are left out."""
    today = local_date(moments.now)
    newest: date | None = TeamDay.objects.aggregate(newest=Max("day"))["newest"]
    first = max(newest or date.min, today - timedelta(days=STEP_DAYS))
    with transaction.atomic():
        write_steps(min(first, today), today)
        return write_teams(today, counts_now(moments))


def counts_now(moments: Moments) -> dict[int, dict[str, int]]:
    """The open cases of each team by phase; one pass over all open cases."""
    cases = Case.objects.filter(closed_at=None, team__isnull=False, restricted=False)
    rows = (
        told(cases, moments)
        .order_by()
        .values("team_id", "phase", "is_past")
        .annotate(n=Count("pk"))
    )
    found: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(_COUNTS, 0))
    for row in rows:
        found[row["team_id"]][_PHASES[row["phase"]]] += row["n"]
        found[row["team_id"]]["past_limit"] += row["n"] if row["is_past"] else 0
    return found


def write_teams(day: date, counts: Mapping[int, Mapping[str, int]]) -> int:
    """The row of each team for a day; a team without cases has zeros."""
    none = dict.fromkeys(_COUNTS, 0)
    rows = [
        TeamDay(team_id=team, day=day, **counts.get(team, none))
        for team in Team.objects.values_list("pk", flat=True)
    ]
    TeamDay.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["team", "day"], update_fields=_COUNTS
    )
    return len(rows)


# Each entry of a step but the first ends a visit, which began with the entry before it.
_WRITE_STEPS = """
INSERT INTO cases_stepday (team_id, day, kind, step, took_days, visits)
SELECT c.team_id, ended.day, c.kind, ended.step,
       ended.day - (p.recorded_at AT TIME ZONE %(zone)s)::date, count(*)
  FROM (SELECT case_id, number, data::jsonb ->> 'from' AS step,
               (recorded_at AT TIME ZONE %(zone)s)::date AS day
          FROM audit_event
         WHERE type = 'step.entered' AND recorded_at >= %(first)s AND recorded_at < %(last)s
       ) AS ended
  JOIN cases_case AS c ON c.id = ended.case_id AND c.team_id IS NOT NULL AND NOT c.restricted
 CROSS JOIN LATERAL (
       SELECT recorded_at FROM audit_event
        WHERE case_id = ended.case_id AND number < ended.number AND type = 'step.entered'
        ORDER BY number DESC LIMIT 1
       ) AS p
 WHERE ended.step <> ''
 GROUP BY 1, 2, 3, 4, 5
"""


def write_steps(first: date, last: date) -> None:
    """Write how long the visits took that ended from the first to the last day, both included."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM cases_stepday WHERE day >= %s AND day <= %s",
            [first, last],
        )
        cursor.execute(
            _WRITE_STEPS,
            {
                "zone": timezone.get_default_timezone_name(),
                "first": midnight(first),
                "last": midnight(last + timedelta(days=1)),
            },
        )


def midnight(day: date) -> datetime:
    """The first moment of a day where the organisation works."""
    return timezone.make_aware(datetime.combine(day, time()), timezone.get_default_timezone())
