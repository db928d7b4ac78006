"""Workers that die while they make a file: others go on behind what is written."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from audit.models import Event
from cases.models import Case, Export, ExportPart
from processes.exports import making
from processes.work import exports as work
from tests.exports import readers
from tests.exports.conftest import ask, files
from tests.fixtures.installation import Installation
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


def test_work_that_breaks_off_goes_on_behind_the_last_part(
    desk: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    from django.core.files.storage import default_storage

    monkeypatch.setattr(making, "CASES_A_PART", 2)
    for number in range(5):
        desk.open("patience", f"case {number}")
    export = ask(desk.people.ada, "xes")
    real, calls = making.make_part, []

    def dying(*args: Any) -> bool:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt  # the process ends
        return real(*args)

    monkeypatch.setattr(making, "make_part", dying)
    with pytest.raises(KeyboardInterrupt):
        work.carry_on(export.pk)
    parts = list(ExportPart.objects.values_list("first", "last"))
    assert parts == [(1, 2)]
    assert work.carry_on(export.pk)
    export.refresh_from_db()
    assert (export.state, export.count) == ("done", 5)
    traces = readers.xes(default_storage.open(export.path).read())
    assert [trace["title"] for trace, _events in traces] == [f"case {n}" for n in range(5)]
    assert len(calls) == 5  # the first, the one that broke off, two more, and the end
    assert len(files()) == 1 and not ExportPart.objects.exists()


def test_a_cancelled_export_leaves_nothing(desk: Any) -> None:
    from cases.actors import Actor
    from processes.acts import exports as acts

    desk.open("patience")
    export = ask(desk.people.ada, "xes")
    making.make_part(export, making.asked_of(export))
    assert len(files()) == 2
    acts.cancel(export_id=export.pk, actor=Actor.of(desk.people.ada))
    assert work.carry_on(export.pk) and files() == []
    export.refresh_from_db()
    assert export.state == "cancelled"


def has_queue() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_trigger WHERE tgrelid = to_regclass('pgmq.q_long')")
        return cursor.fetchone() is not None


@pytest.mark.slow
def test_killed_workers_make_one_whole_file(installation: Installation, desk: Any) -> None:
    for number in range(30):
        desk.open("patience", f"case {number}")
    installation.start("long")
    installation.wait(has_queue, "the queue of the long lane")
    exports = [ask(desk.people.ada, form) for form in ("ocel-sqlite", "xlsx", "pdf")]
    installation.start("clock")
    installation.wait(lambda: Export.objects.exclude(begun_at=None).exists(), "a beginning")
    installation.kill_all()
    Export.objects.update(lease_until=clock.now())  # a minute later
    installation.start("long", "clock")
    installation.wait(
        lambda: Export.objects.filter(ended_at=None).count() == 0, "the end of the exports"
    )
    for export in exports:
        export.refresh_from_db()
        assert (export.state, export.count) == ("done", Case.objects.count()), export.failed
        assert export.events == Event.objects.count() and export.size and export.digest
