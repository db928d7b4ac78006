"""Anchors hold where each history ended, from day to day, signed; paths lead to their roots."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.db import IntegrityError, connection

from audit import against, anchors, merkle, paths, signing
from audit.models import Anchor, ReadSeal
from tests.audit.conftest import NINE, History

KEYS = [signing.SigningKey.of(f"{n:064x}") for n in (1, 2)]


def anchor(keys: Any = KEYS[:1], day: int = 0, **more: Any) -> Anchor:
    made = anchors.make(day=date(2027, 1, 4 + day), now=NINE + timedelta(day), keys=keys, **more)
    assert made is not None
    return made


def end_of(made: Anchor, case_id: int) -> bool:
    """Whether a path leads from the case to the root of this anchor, as said in it."""
    path = paths.Paths().of(case_id, made.number)
    assert path is not None
    said = anchors.said_in(made)
    _word, _page, count, _events, root = json.loads(path["page"])
    inner = [bytes.fromhex(one) for one in path["path"]]
    outer = [bytes.fromhex(one) for one in path["page_path"]]
    leaf = merkle.leaf(path["head"].encode())
    above = merkle.leaf(path["page"].encode())
    assert merkle.root_of(leaf, path["index"], count, inner) == bytes.fromhex(root)
    found = merkle.root_of(above, path["page_index"], said["pages"], outer)
    return found == bytes.fromhex(said["root"])


# --- Trees ---------------------------------------------------------------------------------


def test_a_tree_is_that_of_rfc_6962():
    """The root of seven leaves of the test vectors of Certificate Transparency, and of none."""
    inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657"]
    leaves = [merkle.leaf(bytes.fromhex(one)) for one in inputs]

    root = "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"
    assert merkle.Tree(leaves).root.hex() == root
    assert merkle.Tree([]).root == sha256(b"").digest()
    assert merkle.Tree(leaves[:1]).root == leaves[0]


def test_each_leaf_of_trees_of_each_size_has_a_path_and_no_other_leaf_has_it():
    for count in range(1, 40):
        leaves = [merkle.leaf(bytes([n])) for n in range(count)]
        tree = merkle.Tree(leaves)
        for index in range(count):
            path = tree.path(index)
            assert merkle.root_of(leaves[index], index, count, path) == tree.root
            assert merkle.root_of(merkle.leaf(b"other"), index, count, path) != tree.root
            assert merkle.root_of(leaves[index], index, count, [*path, bytes(32)]) is None
            if count > 1:
                assert merkle.root_of(leaves[index], index, count, path[:-1]) is None


# --- Anchors -------------------------------------------------------------------------------


def test_an_anchor_holds_each_case_and_says_how_many(write_history: Callable[..., History]):
    for case_id in (1, 2, 700, 5000):
        write_history(case_id, events=3)

    made = anchor()

    said = anchors.said_in(made)
    assert (said["cases"], said["events"], said["pages"], said["moved"]) == (4, 12, 2, 4)
    assert said["previous"] == bytes(32).hex()
    assert said["made_at"] == "2027-01-04T09:00:00.000000Z"
    assert all(end_of(made, case_id) for case_id in (1, 2, 700, 5000))
    assert paths.Paths().of(3, made.number) is None
    (signed,) = made.signatures
    assert signing.is_signed(
        made.text.encode(), public=signed["key"], signature=signed["signature"]
    )
    assert not signing.is_signed(b"other", public=signed["key"], signature=signed["signature"])


def test_only_what_moved_is_kept_and_earlier_anchors_stay_what_they_were(
    write_history: Callable[..., History],
):
    one, two = write_history(1, events=2), write_history(2000, events=2)
    first = anchor()
    two.add("noted")
    write_history(2001, events=1)

    second = anchor(day=1)

    said = anchors.said_in(second)
    assert (said["cases"], said["events"], said["moved"]) == (3, 6, 2)
    assert said["previous"] == bytes(first.hash).hex()
    moved = list(anchors.moved_texts(2))
    assert [json.loads(text)[1:3] for text in moved] == [[2000, 3], [2001, 1]]
    content = "".join([text + "\n" for text in moved]).encode()
    assert said["heads"] == sha256(content).hexdigest()
    for case_id, made in ((1, first), (2000, first), (1, second), (2000, second), (2001, second)):
        assert end_of(made, case_id)
    assert anchors.anchors_of(one.case_id) == [1, 2]
    assert anchors.heads_at(1, 1) == [anchors.Head(2000, 2, anchors.heads_at(1, 1)[0].hash)]


def test_a_day_without_work_has_its_anchor_too_and_one_is_enough(write_history: Any):
    write_history(1, events=2)
    first = anchor()

    assert anchors.make(day=first.day, now=NINE, keys=KEYS[:1], once_a_day=True) is None
    second = anchor(day=1, once_a_day=True)

    assert anchors.said_in(second)["root"] == anchors.said_in(first)["root"]
    assert anchors.said_in(second)["moved"] == 0


def test_an_installation_without_cases_has_an_anchor(db: None):
    assert anchors.said_in(anchor())["root"] == merkle.EMPTY.hex()


def test_a_new_key_is_confirmed_by_the_one_before(write_history: Any):
    anchor(KEYS[:1])

    second = anchor([KEYS[1], KEYS[0]], day=1)
    third = anchor([KEYS[1]], day=2)

    assert [one["key"] for one in second.signatures] == [KEYS[1].public, KEYS[0].public]
    assert anchors.said_in(second)["key_before"] == KEYS[0].public
    assert all(
        signing.is_signed(second.text.encode(), public=s["key"], signature=s["signature"])
        for s in second.signatures
    )
    assert [one["key"] for one in third.signatures] == [KEYS[1].public]
    assert "key_before" not in anchors.said_in(third)


def test_a_new_key_alone_is_refused_unless_the_old_one_is_said_to_be_lost(db: None):
    anchor(KEYS[:1])

    with pytest.raises(signing.NoAnchorKey, match=r"--without-old-key"):
        anchor([KEYS[1]], day=1)

    assert len(anchor([KEYS[1]], day=1, without_old_key=True).signatures) == 1


def test_without_a_key_there_is_no_anchor_and_no_trace_of_one(write_history: Any):
    write_history(1)
    with pytest.raises(signing.NoAnchorKey, match="LONGCASE_ANCHOR_KEYS"):
        anchors.make(day=date(2027, 1, 4), now=NINE, keys=[])
    assert not Anchor.objects.exists()


@pytest.mark.parametrize("table", ["audit_anchor", "audit_anchored_head", "audit_anchored_page"])
@pytest.mark.parametrize("act", ["DELETE FROM {0}", "TRUNCATE {0} CASCADE"])
def test_anchors_cannot_be_removed(write_history: Any, table: str, act: str):
    write_history(1)
    anchor()
    with connection.cursor() as cursor, pytest.raises(IntegrityError, match="append-only"):
        cursor.execute(act.format(table))


def test_the_read_log_is_held_by_its_last_seal(db: None):
    said = anchors.said_in(anchor())
    assert said["reads"] == [0, bytes(32).hex()]
    assert list(against.check_reads()) == []

    sealed = {"ids": "{}", "sealed_at": NINE, "digest": bytes(32), "hash": bytes(range(32))}
    ReadSeal.objects.create(number=1, kind="rows", month=NINE.date(), **sealed)
    second = anchor(day=1)

    assert anchors.said_in(second)["reads"] == [1, bytes(range(32)).hex()]
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = 'replica'")
        cursor.execute("DELETE FROM audit_read_seal")
        cursor.execute("SET session_replication_role = 'origin'")
    (found,) = against.check_reads(rows=False)
    assert found.startswith("seal 1 of the read log, which anchor 2 of 2027-01-05 holds, is not")
