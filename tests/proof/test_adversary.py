"""Somebody with all rights over the database changes history, in each way there is.

Each is found by `manage.py verify` and by the verifier that stands alone, with the first bad event
named; and when it is put back, both find nothing. Triggers are off, hashes and heads are made to
fit wherever that is possible: what is left is what the anchors hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from audit.chain import GENESIS, link
from audit.read import events_of
from audit.record import Recorded
from cases.actors import Actor
from cases.models import Case, Note
from processes.acts.notes import add_note
from tests.fixtures.loan import Office
from tests.proof.conftest import Auditor, Superuser


class World(NamedTuple):
    one: Case
    two: Case
    anchored: dict[int, list[int]]  # case: where each anchor saw it end
    superuser: Superuser
    auditor: Auditor


def change(world: World, number: int, sql: str, *values: Any) -> None:
    world.superuser.run(
        f"UPDATE audit_event SET {sql} WHERE case_id = %s AND number = %s",
        *values,
        world.one.pk,
        number,
    )


def replace_tail(
    world: World, case: Case, first: int, texts: dict[int, str], drop: int = 0, head: bool = True
) -> None:
    """Write the tail from `first` anew, with right hashes: other texts, events left out, and the
    head of the case made to fit."""
    events = events_of(case.pk)
    previous = events[first - 2].hash if first > 1 else GENESIS
    rows: list[tuple[Recorded, int, str, bytes]] = []
    for event in events[first - 1 :]:
        if event.number == drop:
            continue
        number = first + len(rows)
        text = texts.get(event.number, event.data_text)
        fields = (event.actor, event.on_behalf, event.happened_at, event.recorded_at)
        previous = link(bytes(previous), case.pk, number, event.type, text, *fields)
        rows.append((event, number, text, previous))
    run = world.superuser.run
    run("DELETE FROM audit_event WHERE case_id = %s AND number >= %s", case.pk, first)
    for event, number, text, sealed in rows:
        run(
            "INSERT INTO audit_event (case_id, number, type, data, actor, on_behalf, happened_at, "
            "recorded_at, hash) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            *(case.pk, number, event.type, text, event.actor, event.on_behalf),
            *(event.happened_at, event.recorded_at, sealed),
        )
    if head:
        end = first + len(rows) - 1
        set_head(world, case, end, previous)


def set_head(world: World, case: Case, number: int, sealed: bytes) -> None:
    world.superuser.run(
        "UPDATE cases_case SET head_number = %s, head_hash = %s WHERE id = %s",
        number,
        sealed,
        case.pk,
    )
    feed = "WHERE case_id = %s AND"
    world.superuser.run(f"DELETE FROM audit_feed {feed} first > %s", case.pk, number)
    world.superuser.run(
        f"UPDATE audit_feed SET last = %s {feed} first <= %s AND last > %s",
        *(number, case.pk, number, number),
    )


def renumber(world: World, old: int, new: int) -> None:
    change(world, old, "number = %s", new)


# -- the attacks: each says how the first bad event of the first case is named


def change_a_byte(world: World) -> str:
    change(world, 3, "data = overlay(data placing '!' from length(data) - 2)")
    return "event 3: Event 3 is not what was recorded: its hash does not fit its content."


def change_and_fit_its_hash(world: World) -> str:
    event = events_of(world.one.pk)[2]
    text = event.data_text[:-1] + ',"x":1}'
    fields = (event.actor, event.on_behalf, event.happened_at, event.recorded_at)
    before = bytes(events_of(world.one.pk)[1].hash)
    sealed = link(before, world.one.pk, 3, event.type, text, *fields)
    change(world, 3, "data = %s, hash = %s", text, sealed)
    return "event 4: Event 4 is not what was recorded"


def delete(world: World) -> str:
    world.superuser.run("DELETE FROM audit_event WHERE case_id = %s AND number = 3", world.one.pk)
    return "event 3: Event 3 is missing; the next one is 4."


def insert(world: World) -> str:
    for number in range(world.one.head_number, 2, -1):
        renumber(world, number, number + 1)
    world.superuser.run(
        "INSERT INTO audit_event SELECT case_id, 3, 'note.added', '{}', actor, on_behalf, "
        "happened_at, recorded_at, sha256(hash) FROM audit_event WHERE case_id = %s AND number = 2",
        world.one.pk,
    )
    return "event 3: Event 3 was put in; the true one now has number 4."


def swap(world: World) -> str:
    for old, new in ((3, 999), (4, 3), (999, 4)):
        renumber(world, old, new)
    return "event 3: Events 3 and 4 have changed places."


def cut_the_tail(world: World) -> str:
    last = world.one.head_number
    world.superuser.run(
        "DELETE FROM audit_event WHERE case_id = %s AND number >= %s", world.one.pk, last - 1
    )
    return f"event {last - 1}: Event {last - 1} is missing, and so is all after it up to {last}"


def cut_the_tail_and_the_head(world: World) -> str:
    first, second = world.anchored[world.one.pk]
    end = second - 1
    world.superuser.run(
        "DELETE FROM audit_event WHERE case_id = %s AND number > %s", world.one.pk, end
    )
    set_head(world, world.one, end, bytes(events_of(world.one.pk)[-1].hash))
    return f"event {end + 1}: Event {end + 1} is missing, and so is all after it up to {second}"


def rewrite_the_tail(world: World) -> str:
    last = world.one.head_number
    replace_tail(world, world.one, last, {last: '{"text":"Approved."}'}, head=False)
    return f"event {last}: Event {last} ends a sound chain, but not the one that the case's head"


def rewrite_the_tail_and_the_head(world: World) -> str:
    first, second = world.anchored[world.one.pk]
    replace_tail(world, world.one, second, {second: '{"text":"Approved."}'})
    return f"event {first + 1}: Of events {first + 1} to {second}, the first or a later one is not"


def rewrite_all_of_it_from_the_beginning(world: World) -> str:
    first = world.anchored[world.one.pk][0]
    events = events_of(world.one.pk)
    replace_tail(world, world.one, 1, {1: events[0].data_text[:-1] + ',"x":1}'})
    return f"event 1: Of events 1 to {first}, the first or a later one is not what was recorded"


def leave_one_out_and_close_the_gap(world: World) -> str:
    first, second = world.anchored[world.one.pk]
    replace_tail(world, world.one, first + 1, {}, drop=first + 1)
    return f"event {first + 1}: "


def move_events_to_another_case(world: World) -> str:
    first, second = world.anchored[world.one.pk]
    moved = events_of(world.one.pk, first)
    end = world.two.head_number
    set_head(world, world.one, first, bytes(events_of(world.one.pk, upto=first)[-1].hash))
    previous = bytes(world.two.head_hash)
    for number, event in enumerate(moved, start=end + 1):
        fields = (event.actor, event.on_behalf, event.happened_at, event.recorded_at)
        previous = link(previous, world.two.pk, number, event.type, event.data_text, *fields)
        world.superuser.run(
            "UPDATE audit_event SET case_id = %s, number = %s, hash = %s "
            "WHERE case_id = %s AND number = %s",
            *(world.two.pk, number, previous, world.one.pk, event.number),
        )
    set_head(world, world.two, end + len(moved), previous)
    return f"event {first + 1}: Event {first + 1} is missing, and so is all after it up to {second}"


def exchange_the_histories_of_two_cases(world: World) -> str:
    """As they are, with numbers that fit and all else: each event names its case."""
    one, two = world.one.pk, world.two.pk
    world.superuser.run("UPDATE audit_event SET case_id = -1 WHERE case_id = %s", one)
    world.superuser.run("UPDATE audit_event SET case_id = %s WHERE case_id = %s", one, two)
    world.superuser.run("UPDATE audit_event SET case_id = %s WHERE case_id = -1", two)
    return "event 1: Event 1 is not what was recorded"


def remove_a_whole_case(world: World) -> str:
    for table, column in (("audit_event", "case_id"), ("cases_case", "id")):
        world.superuser.run(f"DELETE FROM {table} WHERE {column} = %s", world.one.pk)
    world.superuser.run("DELETE FROM audit_feed WHERE case_id = %s", world.one.pk)
    return "event 1: No event of it is left; anchor 2"


def forge_what_the_anchor_holds(world: World) -> str:
    """All that the database has of it, anchors too: only the key is not there."""
    said = rewrite_the_tail_and_the_head(world)
    second = world.anchored[world.one.pk][1]
    sealed = events_of(world.one.pk)[second - 1].hash
    world.superuser.run(
        "UPDATE audit_anchored_head SET hash = %s WHERE case_id = %s AND number = %s",
        *(sealed, world.one.pk, second),
    )
    del said
    return "anchor 2: The heads that are kept with it are not those it was made of."


ATTACKS: list[Callable[[World], str]] = [
    change_a_byte,
    change_and_fit_its_hash,
    delete,
    insert,
    swap,
    cut_the_tail,
    cut_the_tail_and_the_head,
    rewrite_the_tail,
    rewrite_the_tail_and_the_head,
    rewrite_all_of_it_from_the_beginning,
    leave_one_out_and_close_the_gap,
    move_events_to_another_case,
    exchange_the_histories_of_two_cases,
    remove_a_whole_case,
    forge_what_the_anchor_holds,
]


@pytest.fixture
def world(transactional_db: None, office: Office, superuser: Superuser, auditor: Auditor) -> World:
    """Two loans that went on between two anchors, and after the last."""
    cases = [office.open(), office.open()]
    anchored: dict[int, list[int]] = {case.pk: [] for case in cases}

    def go_on(case: Case) -> None:
        for text in ("First.", "Second."):
            add_note(case_id=case.pk, text=text, actor=Actor.of(office.caseworker))

    for _ in range(2):
        for case in cases:
            go_on(case)
            anchored[case.pk].append(Case.objects.get(pk=case.pk).head_number)
        auditor.anchor()
    for case in cases:
        go_on(case)
    one, two = (Case.objects.get(pk=case.pk) for case in cases)
    assert Note.objects.count() == 12
    return World(one, two, anchored, superuser, auditor)


def test_each_attack_is_found_by_both_and_nothing_once_it_is_put_back(world: World):
    look = world.auditor
    assert look.verify(anchors=look.kept) == []
    assert look.check(*exported(world)) == []
    world.superuser.save("honest")

    for attack in ATTACKS:
        said = attack(world)
        prefix = "" if said.startswith("anchor") else f"{world.one.reference}, "

        # Found by what the database has, and with the anchors that were written elsewhere
        for folder in (None, look.kept):
            found = look.verify(anchors=folder)
            wanted = prefix + said
            if prefix and not Case.objects.filter(pk=world.one.pk).exists():
                wanted = f"case {world.one.pk}, {said}"
            assert any(line.startswith(wanted) for line in found), (attack, wanted, found)

        # Found outside, in the exported case, by the same event
        wrong = look.check(*exported(world))
        event = "event " + said.split("event ")[1].split(":")[0] if prefix else ""
        assert named(wrong, world, event), (attack, event, wrong)

        world.superuser.put_back("honest")
        assert look.verify(anchors=look.kept) == [], attack
        assert look.check(*exported(world)) == [], attack


def named(wrong: list[str], world: World, event: str) -> bool:
    """Whether the verifier names this event of the first case, alone or as first of several."""
    number = event.removeprefix("event ")
    starts = (f"Event {number} ", f"Events {number} ", f"Of events {number} ")
    about = f"{world.one.reference}: "
    return any(line.startswith(tuple(about + start for start in starts)) for line in wrong) or (
        not event and any(line.startswith(about) for line in wrong)
    )


def exported(world: World) -> list[Any]:
    look = world.auditor
    return [look.export(case.pk, case.reference) for case in (world.one, world.two)]


def test_an_older_backup_is_found_by_the_anchors_elsewhere(world: World, office: Office):
    look, case = world.auditor, world.one
    world.superuser.save("backup")
    was = case.head_number
    for text in ("Third.", "Fourth."):
        add_note(case_id=case.pk, text=text, actor=Actor.of(office.caseworker))
    look.anchor()
    world.superuser.save("today")

    world.superuser.put_back("backup")

    # The database agrees with itself; what was written elsewhere knows better
    assert look.verify() == []
    found = look.verify(anchors=look.kept)
    assert found[0].startswith("anchor 3: It was written elsewhere, and the database has anchors")
    missing = (
        f"Event {was + 1} is missing, and so is all after it up to {was + 2}, which the anchor"
    )
    assert found[1].startswith(f"{case.reference}, event {was + 1}: {missing.replace('the ', '')}")
    (wrong,) = look.check(*exported(world))
    assert wrong.startswith(f"{case.reference}: {missing} 3")

    # Going on from there, and anchoring again, does not hide it
    add_note(case_id=case.pk, text="Other.", actor=Actor.of(office.caseworker))
    with pytest.raises(FileExistsError, match="another anchor 3"):
        look.anchor()
    found = look.verify(anchors=look.kept)
    assert "anchor 3: The database has another one than was written elsewhere." in found

    world.superuser.put_back("today")
    assert look.verify(anchors=look.kept) == []
    assert look.check(*exported(world)) == []


def test_anchors_that_were_removed_or_signed_by_somebody_else_are_found(
    world: World, settings: Any
):
    look = world.auditor
    world.superuser.save("honest")
    for table in ("audit_anchored_head", "audit_anchored_page"):
        world.superuser.run(f"DELETE FROM {table} WHERE anchor = 1")
    world.superuser.run("DELETE FROM audit_anchor WHERE number = 1")
    assert "anchor 1: It is missing; the next one is 2." in look.verify()
    world.superuser.put_back("honest")

    settings.LONGCASE_ANCHOR_KEYS = ["8" * 64]
    (found,) = look.verify()
    assert found.startswith("anchor 2: It is signed by") and found.endswith("no key of ours.")
    settings.LONGCASE_ANCHOR_KEYS = ["7" * 64]


def test_since_looks_at_what_moved_and_says_what_it_left(world: World, office: Office, capsys: Any):
    from django.core.management import call_command

    look, case = world.auditor, world.one
    assert look.verify() == []  # clean: what follows builds on it
    add_note(case_id=case.pk, text="Third.", actor=Actor.of(office.caseworker))

    call_command("verify", since=True)
    told = capsys.readouterr().out
    assert "Looked at 1 cases with" in told
    assert "Not looked at: 1 cases did not move since the last clean check" in told

    number = Case.objects.get(pk=case.pk).head_number
    world.superuser.save("honest")
    add_note(case_id=case.pk, text="Fourth.", actor=Actor.of(office.caseworker))
    change(world, number + 1, "actor = 'person:1'")
    (found,) = look.verify(since=True)
    assert found.startswith(f"{case.reference}, event {number + 1}: ")
    world.superuser.put_back("honest")


def test_heads_alone_show_what_was_cut_and_rewritten(world: World):
    look = world.auditor
    world.superuser.save("honest")
    assert look.verify(heads=True) == []
    for attack in (cut_the_tail, rewrite_the_tail_and_the_head, remove_a_whole_case):
        attack(world)
        assert look.verify(heads=True), attack
        world.superuser.put_back("honest")
