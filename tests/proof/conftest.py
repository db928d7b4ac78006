"""Cases with anchors, in the database and elsewhere, and somebody with all rights over it."""

from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from audit import anchors, bundle, elsewhere, signing
from audit.models import Anchor
from cases.models import Case
from tests.audit.test_standalone import verifier
from timers import clock

KEY = signing.SigningKey.of("7" * 64)
TABLES = ("cases_case", "cases_note", "audit_event", "audit_feed", "audit_unnumbered")
TABLES += ("audit_anchor", "audit_anchored_head", "audit_anchored_page")


class Superuser:
    """Changes what it likes, with the triggers off; and can put all of it back."""

    def run(self, sql: str, *values: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = 'replica'")
            cursor.execute(sql, values or None)
            cursor.execute("SET session_replication_role = 'origin'")

    def save(self, name: str) -> None:
        for table in TABLES:
            self.run(f"CREATE TEMP TABLE {name}_{table} AS TABLE {table}")

    def put_back(self, name: str) -> None:
        for table in TABLES:
            self.run(f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM {name}_{table}")


class Auditor:
    """Looks, with the command in the installation and with the verifier outside of it."""

    def __init__(self, folder: Path) -> None:
        self.kept = folder / "kept"  # anchors, away from the database
        self.out = folder / "out"
        self.out.mkdir()

    def anchor(self) -> Anchor:
        day = clock.now().date() + timedelta(days=Anchor.objects.count())
        made = anchors.make(day=day, now=clock.now(), keys=[KEY])
        assert made is not None
        record = bundle.anchor_record(made)
        elsewhere.write(made, self.kept, record, anchors.moved_texts(made.number))
        return made

    def verify(self, *words: str, **options: Any) -> list[str]:
        """The findings of `manage.py verify`."""
        out = io.StringIO()
        try:
            call_command("verify", *words, chains_only=True, stdout=out, **options)
        except CommandError as error:
            assert error.returncode == 1, error
        lines = out.getvalue().splitlines()
        return lines[: next(at for at, one in enumerate(lines) if one.startswith("Looked at"))]

    def export(self, case_id: int, reference: str) -> Path:
        case = Case.objects.filter(pk=case_id).first()
        about: dict[str, Any] = {"reference": reference}
        if case is not None:
            about |= {"events": case.head_number, "head": bytes(case.head_hash).hex()}
        path = self.out / f"{reference}.jsonl"
        with path.open("wb") as file:
            bundle.write_bundle(case_id, file, False, about=about)
        return path

    def check(self, *paths: Path, elsewhere: bool = True) -> list[str]:
        """What the verifier finds wrong in exported cases."""
        report = verifier.Report()
        trusted = verifier.read_anchors(str(self.kept)) if elsewhere else None
        if trusted:
            verifier.check_anchors(trusted, [KEY.public], report)
            verifier.check_heads(trusted, report)
        for path in paths:
            verifier.check_bundle(str(path), trusted, [KEY.public], report)
        return list(report.wrong)


@pytest.fixture
def superuser() -> Superuser:
    return Superuser()


@pytest.fixture
def auditor(tmp_path: Path, settings: Any) -> Auditor:
    settings.LONGCASE_ANCHOR_KEYS = ["7" * 64]
    return Auditor(tmp_path)
