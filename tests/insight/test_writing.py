"""The tables are written behind the feed, and made anew from history they are the same."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, models, transaction

from cases.actors import Actor
from cases.models import Case
from processes.acts.messages import deliver_message
from processes.insight import writing
from processes.insight.models import CasePath, InsightPlace, StepVisit
from processes.insight.writing import _TABLES


def rows(model: type[models.Model]) -> list[dict[str, Any]]:
    found = [{**row} for row in model._default_manager.values()]
    for row in found:
        row.pop("id", None)
    return sorted(found, key=str)


def test_what_is_made_anew_is_what_was_written(desk: Any, people: Any) -> None:
    # Given cases whose rows were written piece by piece
    for script in ("review", "term", "patience", "staff", "two_steps"):
        desk.open(script)
        writing.catch_up(seconds=None)
    case = Case.objects.get(pk=Case.objects.order_by("-pk")[0].pk)
    deliver_message(
        case_id=case.pk, name="first", data={}, source="t", key="1", actor=Actor("service:t")
    )
    desk.engine.settle()
    writing.catch_up(seconds=None)
    desk.engine.advance(days=70)
    assert writing.catch_up(seconds=None) > 0
    written = {model: rows(model) for model in _TABLES}
    assert written[StepVisit] and len(written[CasePath]) == 5

    # When there is nothing new, nothing is written
    assert writing.catch_up(seconds=None) == 0

    # And made anew, also after somebody has spoilt them, they are the same
    StepVisit.objects.update(seconds=1, step="nowhere")
    call_command("insight", "rebuild")
    assert {model: rows(model) for model in _TABLES} == written

    # So also from an empty table, along the feed
    for model in _TABLES:
        model._default_manager.all().delete()
    InsightPlace.objects.all().delete()
    call_command("insight", "catchup")
    assert {model: rows(model) for model in _TABLES} == written


def test_two_writers_never_write_of_one_case_at_once(desk: Any) -> None:
    desk.open("review")
    with transaction.atomic():
        writing._held(skip=False)
        other = connection.copy()
        try:
            with other.cursor() as cursor:
                cursor.execute(
                    "SELECT count(*) FROM (SELECT 1 FROM processes_insightplace "
                    "FOR UPDATE SKIP LOCKED) AS free"
                )
                assert cursor.fetchone()[0] == 0
        finally:
            other.close()
    assert writing.catch_up(seconds=None) == 1


def test_a_locked_case_does_not_hold_up_the_writing(desk: Any) -> None:
    case = desk.open("review")
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT 1 FROM cases_case WHERE id = %s FOR UPDATE", [case.pk])
            with connection.cursor() as ours:
                ours.execute("SET lock_timeout = '2s'")
            assert writing.catch_up(seconds=None) == 1
            with connection.cursor() as ours:
                ours.execute("SET lock_timeout = 0")
    finally:
        other.rollback()
        other.close()


@pytest.mark.django_db
def test_the_demo_is_counted_as_history_tells_it(demo: None) -> None:
    """Held against a count in SQL that knows nothing of the fold."""
    assert writing.behind() == 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT case_id, data::jsonb ->> 'from', data::jsonb ->> 'transition', "
            "data::jsonb ->> 'step', recorded_at, lead(recorded_at) OVER "
            "(PARTITION BY case_id ORDER BY number) FROM audit_event WHERE type = 'step.entered' "
            "AND data::jsonb ->> 'transition' <> 'restart' ORDER BY case_id, number"
        )
        told = cursor.fetchall()
    kept = list(
        StepVisit.objects.order_by("case_id", "number").values_list(
            "case_id", "came_from", "came_by", "step", "entered_at", "left_at"
        )
    )
    assert len(kept) > 100 and kept == told
    ends = Case.objects.exclude(closed_at=None).values_list("pk", "closed_at")
    last = {visit.case_id: visit for visit in StepVisit.objects.order_by("number") if visit.is_end}
    assert {pk: last[pk].entered_at for pk, _at in ends} == dict(ends)
