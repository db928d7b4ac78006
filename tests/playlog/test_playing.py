"""Playing a log: order, moments and actors are held against history, and a kill changes nothing."""

from __future__ import annotations

import csv
import gzip
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.models import Event
from cases.models import Case
from processes.engine.verify import verify

pytestmark = pytest.mark.django_db(transaction=True)

COLUMNS = "case_id seq timestamp activity lifecycle resource amount expense totalpaymentamount"
NOTICE = [
    ("2011-09-01T00:00:00+02:00", "Create Fine", "7", {"amount": "36.0"}),
    ("2011-09-20T00:00:00+02:00", "Send Fine", "", {"expense": "13.0"}),
    ("2011-09-25T00:00:00+02:00", "Insert Fine Notification", "", {}),
]
PENALTY = ("2011-11-24T00:00:00+01:00", "Add penalty", "", {"amount": "74.0"})
PAID = ("2011-12-01T00:00:00+01:00", "Payment", "", {"totalpaymentamount": "87.0"})
PART = ("2011-12-01T00:00:00+01:00", "Payment", "", {"totalpaymentamount": "40.0"})
TOLD = ("2011-12-05T00:00:00+01:00", "Notify Result Appeal to Offender", "", {})


def write(folder: Path, cases: dict[str, tuple[str, list[Any]]]) -> Path:
    """A log of fines: case → its outcome and its rows."""
    folder = folder / "fine-traffic"
    folder.mkdir()
    with gzip.open(folder / "cases.csv.gz", "wt", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["case_id", "first", "last", "events", "outcome"])
        for name, (outcome, rows) in cases.items():
            lines.writerow([name, rows[0][0], rows[-1][0], len(rows), outcome])
    with gzip.open(folder / "events.csv.gz", "wt", newline="") as file:
        table = csv.DictWriter(file, COLUMNS.split(), restval="")
        table.writeheader()
        for name, (_outcome, rows) in cases.items():
            for seq, (at, activity, resource, more) in enumerate(rows, 1):
                table.writerow(
                    {
                        "case_id": name,
                        "seq": seq,
                        "timestamp": at,
                        "activity": activity,
                        "lifecycle": "complete",
                        "resource": resource,
                        **more,
                    }
                )
    return folder


@pytest.fixture
def log(tmp_path: Path) -> Path:
    later = (PENALTY[0].replace("11-24", "11-25"), *PENALTY[1:])
    return write(
        tmp_path,
        {
            "paid": ("paid", [*NOTICE, PENALTY, PAID]),
            "part": ("paid", [*NOTICE, PENALTY, PART]),
            "slip": ("open", [*NOTICE[:2], TOLD]),
            "late": ("open", [*NOTICE, later]),
            "early": ("paid", [NOTICE[0], (NOTICE[1][0], *PAID[1:])]),
        },
    )


def play(folder: Path, **options: Any) -> list[str]:
    out = StringIO()
    call_command("playlog", "enforcement", folder, stdout=out, **options)
    return out.getvalue().splitlines()


def test_the_report_holds_history_against_the_log(log: Path) -> None:
    report = play(log)
    assert report[:4] == [
        "5 recorded cases, 5 opened",
        "4 ran through, 4 ended as recorded (80.0%)",
        "5 have each act in the recorded order, at its moment, by its actor (15 acts; "
        "0 rows without effect, 0 after the end of their case, 1 refused)",
        "Add penalty: the engine brought about 3 of 3 by itself, 2 on the recorded date; half "
        "within 0.0 h, the farthest 24.0 h; 0 more where the log has none",
    ]
    misfits = "\n".join(report[4:8])
    assert "3 misfits:" in misfits
    assert "part: recorded paid, ours open at penalised; paid 40.00 of 87.00" in misfits
    assert "slip: recorded open" in misfits and "tell_ruling_of_prefect is not open" in misfits
    assert "late: " in misfits and "recorded 25 Nov 2011" not in misfits.partition("late")[0]
    assert not list(verify())


def test_a_history_that_differs_is_told(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report would see an engine that books late, or in another's name."""
    from processes.enforcement.playlog import FinesDriver

    play(log)
    monkeypatch.setattr(FinesDriver, "actor_code", lambda self, row: "person:0")
    assert "0 have each act in the recorded order" in play(log)[2]
    monkeypatch.undo()

    folder = log.rename(log.parent / "moved")
    for name in ("events.csv.gz", "cases.csv.gz"):
        text = gzip.decompress((folder / name).read_bytes()).replace(b"2011-09-20", b"2011-09-19")
        (folder / name).write_bytes(gzip.compress(text))
    moved = play(folder.rename(log))
    assert "0 have each act in the recorded order" in moved[2]
    assert "recorded at 18 Sep 2011 22:00, ours at 19 Sep 2011 22:00" in "\n".join(moved)


@pytest.mark.slow
@pytest.mark.long
def test_a_run_killed_between_rows_comes_to_the_same_end(log: Path) -> None:
    undisturbed = play(log)
    again = play(log)
    assert again[-1] == undisturbed[-1]
    assert again[-2].startswith("0 of 19 rows played now")
    call_command("flush", interactive=False, verbosity=0)
    assert not Case.objects.exists() and not Event.objects.exists()

    killed = play(log, kill_every=6)
    assert int(killed[-1].split()[1]) >= 2
    assert killed[-2] == undisturbed[-1]  # the digest
    assert killed[:4] == undisturbed[:4]
    assert not list(verify())


def test_what_cannot_be_played_is_said(tmp_path: Path, log: Path) -> None:
    with pytest.raises(CommandError, match="There is no .*cases.csv.gz"):
        play(tmp_path / "fine-traffic" / "nothing" / ".." / ".." / "other" / "fine-traffic")
    other = log.rename(tmp_path / "another")
    with pytest.raises(CommandError, match="plays the logs fine-traffic; .*“another”"):
        play(other)
    with pytest.raises(CommandError, match="Fewer than 90"):
        play(other.rename(log), at_least=90.0)
