"""What pages are measured on: copies of cases that are as sound as what they are copies of."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from audit import codec
from audit.read import events_of
from bench.grow import grow
from cases.models import Case, Person
from processes.engine.verify import verify

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.long]

COPIES = 150


def test_copies_are_sound_and_sealed_with_keys_of_their_own(demo: None) -> None:
    originals = {case.pk: case for case in Case.objects.all()}
    names = {case.title.split(",")[0] for case in originals.values() if case.kind == "loan"}
    count = len(originals) + COPIES
    grow(cases=count, events=20 * count, teams=2, tell=lambda *_said, **_how: None)

    copies = list(Case.objects.exclude(pk__in=originals))
    assert len(copies) == COPIES
    assert list(verify(references=[case.reference for case in copies])) == []

    # What is personal opens with the key of the copy, and is not the original's.
    def sealed(case: Case) -> int:
        opened = 0
        for event in events_of(case.pk):
            text = codec.encode(event.data)
            opened += "$box" in event.data_text
            assert case.kind != "loan" or not any(f'"{name}"' in text for name in names)
        return opened

    assert all(sealed(case) for case in copies)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(DISTINCT wrapped) FROM audit_casekey WHERE case_id = ANY(%s)",
            [[case.pk for case in copies]],
        )
        assert cursor.fetchone() == (COPIES, COPIES)

    # And pages show them.
    auditor: Any = Client()
    auditor.force_login(Person.objects.get(username="nadia"))
    for kind in {case.kind for case in copies}:
        case = next(one for one in copies if one.kind == kind)
        for tab in ("", "history/?show=all"):
            assert auditor.get(case.get_absolute_url() + tab).status_code == 200
