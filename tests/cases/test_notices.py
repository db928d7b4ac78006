"""Notices: read by each person, muted by kind, over with their cause; and by mail once a day."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from cases import digest, noticeboard
from cases.actors import Actor
from cases.models import Absence, Digest, Notice
from processes.acts.cases import move_case
from timers import clock


@pytest.fixture(autouse=True)
def everybody_has_mail(people: Any) -> None:
    for one in vars(people).values():
        one.email = f"{one.username}@office.example"
        one.save()


@pytest.fixture
def told(desk: Any) -> Any:
    """A notice on a case, for a person or a role."""
    case = desk.open("patience", title="Jansen, 1 Dorpsstraat")

    def tell(text: str, *, kind: str = "other", **whom: Any) -> Notice:
        return Notice.objects.create(
            case=case, text=text, kind=kind, written_at=clock.now(), **whom
        )

    return tell


def texts(person: Any) -> list[str]:
    return [one.text for one in noticeboard.unread(person)]


def test_each_person_reads_for_themselves_and_the_list_keeps_what_was_read(
    people: Any, told: Any, visit: Any
) -> None:
    told("A review is overdue.", kind="overdue", role="supervisor")
    told("For Sanne alone.", person=people.sanne)
    petra = visit(people.petra)
    page = petra.open("/notices/")
    assert "A review is overdue." in page
    assert "For Sanne alone." not in page
    assert " <b>1</b>" in page  # in the bar
    for _twice in range(2):
        assert "You have read everything." in page.send("/notices/")
    assert "A review is overdue." in petra.open("/notices/?show=all")
    # The outsider of another team sees none, and reads none by number
    eve = visit(people.eve)
    notice = Notice.objects.get(person=people.sanne)
    eve.client.post(f"/work/notices/{notice.pk}/")
    assert texts(people.sanne) == ["For Sanne alone."]
    assert "Sanne alone" not in eve.open("/notices/?show=all")


def test_muted_kinds_come_neither_up_nor_by_mail(
    people: Any, told: Any, engine: Any, visit: Any
) -> None:
    told("A term ends soon.", kind="clock", person=people.sanne)
    told("Not needed.", kind="cancelled", person=people.sanne)
    sanne = visit(people.sanne)
    page = sanne.open("/settings/notices/")
    assert page.send("/settings/notices/", digest="daily", muted=["clock"]).status == 200
    assert texts(people.sanne) == ["Not needed."]
    assert "Muted" in sanne.open("/notices/?show=all")
    engine.advance(days=1)
    digest.send_due()
    assert ["A term" in one.body for one in mail.outbox] == [False]
    assert page.send("/settings/notices/", digest="hourly", muted=["nothing"]).status == 422


def test_finished_work_is_not_reported(people: Any, desk: Any, engine: Any, told: Any) -> None:
    told("A term has passed.", kind="clock", cause="term", role="supervisor")
    told("Your reminder.", kind="reminder", person=people.sanne)
    told("Nobody needs it any more.", kind="cancelled", person=people.sanne)
    case = Notice.objects.earliest("pk").case
    assert len(texts(people.petra)) == 1
    move_case(case_id=case.pk, name="finish", data={}, actor=Actor.of(people.sanne))
    assert texts(people.petra) == []
    assert texts(people.sanne) == ["Nobody needs it any more."]
    engine.advance(days=1)
    digest.send_due()
    assert [one.to for one in mail.outbox] == [["sanne@office.example"]]


def test_a_digest_comes_once_a_day_at_its_hour_and_only_when_there_is_something(
    people: Any, told: Any, engine: Any
) -> None:
    assert digest.send_due() == 0
    told("A review is overdue.", kind="overdue", role="supervisor")
    told("Answer by Friday.", kind="reminder", person=people.sanne)
    engine.until(_at_hour(1, 6))
    assert digest.send_due() == 0
    engine.until(_at_hour(1, 7))
    assert digest.send_due() == 2
    assert digest.send_due() == 0
    (hers,) = [one for one in mail.outbox if one.to == ["sanne@office.example"]]
    assert hers.subject == "Longcase: 1 thing to know"
    assert "Jansen" not in hers.subject + hers.body
    assert "Answer by Friday." in hers.body
    assert f"/cases/{Notice.objects.earliest('pk').case.reference}/" in hers.body
    # What is told later on the day comes tomorrow; on a day without news nothing comes
    told("Later.", person=people.sanne)
    engine.until(_at_hour(1, 18))
    assert digest.send_due() == 0
    engine.until(_at_hour(3, 9))  # nothing ran for a day: it comes when something does
    assert digest.send_due() == 1
    assert "Later." in mail.outbox[-1].body and "Friday" not in mail.outbox[-1].body
    engine.until(_at_hour(4, 9))
    assert digest.send_due() == 0


def test_whoever_wants_it_weekly_has_it_on_monday_and_whoever_wants_none_has_none(
    people: Any, told: Any, engine: Any
) -> None:
    people.sanne.digest, people.petra.digest = "weekly", "never"
    people.sanne.save()
    people.petra.save()
    told("One.", person=people.sanne)
    told("Two.", role="supervisor")
    sent = []
    for day in range(1, 15):
        engine.until(_at_hour(day, 8))
        if digest.send_due():
            sent.append(clock.now().weekday())
    assert sent == [0]


def test_of_two_makers_one_sends_and_one_that_died_is_sent_later_as_it_was(
    people: Any, told: Any, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told("Answer by Friday.", person=people.sanne)
    engine.until(_at_hour(1, 8))

    def dies(pk: int) -> int:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(digest, "_send", dies)
        with pytest.raises(SystemExit):
            digest.send_due()
    told("Answer by Saturday.", person=people.sanne)
    assert digest.send_due() == 0  # another maker: it has a row, and may be at it
    engine.advance(minutes=11)
    assert [digest.send_due(), digest.send_due()] == [1, 0]
    (sent,) = mail.outbox
    assert "Saturday" not in sent.body
    assert sent.extra_headers["Message-ID"].startswith(f"<digest.{people.sanne.pk}.")

    # A mail server that is down costs nothing but time
    engine.until(_at_hour(2, 8))

    def down(row: Any) -> None:
        raise ConnectionRefusedError

    with monkeypatch.context() as patched:
        patched.setattr(digest, "_mail", down)
        assert digest.send_due() == 0
    engine.advance(minutes=11)
    assert digest.send_due() == 1
    assert Digest.objects.count() == 2


def test_who_is_away_gets_none_and_who_stands_in_gets_theirs(
    people: Any, told: Any, engine: Any
) -> None:
    today = clock.now().date()
    Absence.objects.create(
        person=people.sanne, substitute=people.petra, from_date=today,
        until_date=today + timedelta(days=2), entered_at=clock.now(), entered_by="person:1",
    )  # fmt: skip
    told("Answer by Friday.", person=people.sanne)
    assert texts(people.petra) == ["Answer by Friday."]
    engine.until(_at_hour(1, 8))
    assert digest.send_due() == 1
    assert [one.to for one in mail.outbox] == [["petra@office.example"]]
    # Back again, whatever is still unread is told
    engine.until(_at_hour(4, 8))
    assert digest.send_due() == 1
    assert mail.outbox[-1].to == ["sanne@office.example"]
    assert texts(people.petra) == []


def test_the_list_takes_the_same_few_queries_however_long_it_is(
    people: Any, told: Any, visit: Any, django_assert_max_num_queries: Any
) -> None:
    for number in range(60):
        told(f"Notice {number}.", person=people.sanne)
    sanne = visit(people.sanne)
    sanne.open("/notices/")
    with django_assert_max_num_queries(10):
        page = sanne.open("/notices/")
    assert "Notice 59." in page and "Notice 5." not in page
    assert " <b>60</b>" in page


def _at_hour(day: int, hour: int) -> datetime:
    """This day after the one on which the test began, at this hour of the organisation."""
    began = Notice.objects.earliest("pk").written_at
    first = timezone.localtime(began).replace(hour=hour, minute=0, second=0, microsecond=0)
    return first + timedelta(days=day)
