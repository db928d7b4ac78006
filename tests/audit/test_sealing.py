"""Personal values lie in a box that only the key of their case opens."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from audit import codec, keys, sealing, verify
from audit.erased import ERASED, Erased
from audit.models import Event
from audit.read import events_of
from audit.sealing import CHANGES, CODE, EACH, FACTS, PLAIN, WHOLE, Rules, Sealer
from tests.audit.test_codec import payloads

NINE = datetime(2027, 1, 4, 9, tzinfo=UTC)
RULES = Rules(
    {
        EACH: {"step": PLAIN, "facts": FACTS, "changes": CHANGES, "clocks": {EACH: {"on": PLAIN}}},
        "task.opened": {"title": PLAIN},
    },
    facts={"purpose": frozenset({"car"}), "income": WHOLE, "papers": CODE},
    anywhere={"income": WHOLE, "papers": CODE},
)


def a_key(case_id: int = 17) -> keys.Key:
    return keys.make({case_id: []}, made_at=NINE)[0].key


@pytest.fixture(autouse=True)
def _at_hand() -> Iterator[None]:
    keys.forget()
    yield
    keys.forget()


def sealed(data: dict[str, Any], *, key: Any = None, type: str = "it.happened") -> str:
    """The text of the data of event 5 of case 17, whose key is at hand."""
    key = key or a_key()
    keys.remember(key)
    return sealing.encode(data, Sealer(RULES, key), type=type, number=5)[0]


def erase(text: str) -> dict[str, Any]:
    keys.remember(keys.Destroyed(17, NINE))
    return sealing.decode(text, 17, 5)


# --- What is sealed comes back --------------------------------------------------------------


@given(payloads)
def test_what_was_sealed_is_what_is_read(data: dict[str, Any]) -> None:
    text = sealed(data)
    assert sealing.decode(text, 17, 5) == data
    assert sealing.decode(text) == data


@given(payloads)
def test_what_is_read_at_once_is_what_is_read_later(data: dict[str, Any]) -> None:
    key = a_key()
    keys.remember(key)
    text, unsealed = sealing.encode(data, Sealer(RULES, key), type="it.happened", number=5)
    assert (sealing.fill(*unsealed) if unsealed else codec.decode(text)) == sealing.decode(text)


@given(payloads)
def test_an_erased_event_can_be_read_and_recorded_again(data: dict[str, Any]) -> None:
    gone = erase(sealed(data))
    assert gone.keys() == data.keys()
    assert codec.decode(codec.encode(gone)) == gone


@given(payloads, st.text(min_size=4, alphabet="äöüxyzXYZ"))
def test_no_text_under_an_unknown_key_stays(data: dict[str, Any], said: str) -> None:
    said = f"\x02{said}"
    assert said not in sealed({**data, "said": said, "more": [{"said": [said]}]})


def test_the_sealed_text_is_json_with_its_structure() -> None:
    text = sealed({"step": "received", "facts": {"name": "Zoë", "amount": Decimal("1.00")}})
    told = json.loads(text)
    assert told.pop("$box").startswith("17.5.")
    assert told == {
        "facts": {"amount": {"$decimal": "1.00"}, "name": {"$sealed": 0}},
        "step": "received",
    }


def test_data_without_a_text_of_anybody_has_no_box() -> None:
    assert sealed({"step": "received", "command": 3, "text": "", "none": None}) == codec.encode(
        {"step": "received", "command": 3, "text": "", "none": None}
    )


@pytest.mark.parametrize(
    ("data", "stays"),
    [
        ({"step": "received"}, True),
        ({"title": "Zoë"}, False),
        ({"reason": "Zoë"}, False),
        ({"facts": {"purpose": "car"}}, True),
        ({"facts": {"purpose": "Zoë's car"}}, False),
        ({"facts": {"papers": "payslip bank_statement"}}, True),
        ({"facts": {"papers": "Zoë"}}, False),
        ({"facts": {"papers": "NL"}}, True),
        ({"facts": {"papers": "LN-2026-000123"}}, True),
        ({"facts": {"income": Decimal(3000)}}, False),
        ({"facts": {"amount": Decimal(3000)}}, True),
        ({"facts": {"income": None}}, True),
        ({"changes": {"income": [Decimal(3000), Decimal(4000)]}}, False),
        ({"changes": {"amount": [Decimal(3000), Decimal(4000)]}}, True),
        ({"changes": {"name": ["Zoë", "Zoe"]}}, False),
        ({"result": {"income": 3000}}, False),
        ({"result": {"deep": [{"income": 3000}]}}, False),
        ({"result": {"step": "Zoë"}}, False),
        ({"result": {"Zoë Example": 3}}, False),
        ({"result": {"999900001": True}}, False),
        ({"result": {"born": date(1980, 1, 1)}}, True),
        ({"clocks": {"term": {"on": "time", "days": 3}}}, True),
        ({"clocks": {"term": {"pauses": [[None, "Zoë is ill"]]}}}, False),
    ],
)
def test_what_is_personal_is_sealed_and_nothing_else(data: dict[str, Any], stays: bool) -> None:
    text = sealed(data)
    assert (not sealing.case_of(text)) == stays, text
    assert sealing.decode(text, 17, 5) == data


def test_an_event_of_a_type_may_have_structure_of_its_own() -> None:
    assert "Underwriting" in sealed({"title": "Underwriting"}, type="task.opened")
    assert "Underwriting" not in sealed({"title": "Underwriting"}, type="note.added")


# --- Boxes that do not open -----------------------------------------------------------------


@pytest.mark.django_db
def test_a_box_does_not_open_elsewhere() -> None:
    text = sealed({"text": "Zoë"})
    for case_id, number in ((17, 6), (18, 5)):
        with pytest.raises(sealing.BoxBroken, match="has the box of event 5 of case 17"):
            sealing.decode(text, case_id, number)
    keys.remember(a_key(18))
    for other in (text.replace("17.5.", "17.6."), text.replace("17.5.", "18.5.")):
        with pytest.raises(sealing.BoxBroken, match="does not open"):
            sealing.decode(other)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        '{"$box":"17.5.AAAA","a":{"$sealed":0}}',
        '{"$box":"17.5.!","a":{"$sealed":0}}',
        '{"$box":"17.","a":{"$sealed":0}}',
        '{"$box":"x","a":{"$sealed":0}}',
    ],
)
def test_a_box_that_was_changed_is_refused(text: str) -> None:
    keys.remember(a_key())
    with pytest.raises(sealing.BoxBroken):
        sealing.decode(text)


def test_a_tag_without_a_value_is_refused() -> None:
    text = sealed({"text": "Zoë"})
    with pytest.raises(sealing.BoxBroken, match="fewer values"):
        sealing.decode(text.replace('{"$sealed":0}', '{"$sealed":1}'))


def test_what_cannot_be_recorded_is_refused_with_its_place() -> None:
    with pytest.raises(TypeError, match=r"data\.result\.what is a builtins\.object"):
        sealed({"result": {"what": object()}})
    with pytest.raises(ValueError, match=r"data\.text contains a NUL"):
        sealed({"text": "a\0b"})
    with pytest.raises(ValueError, match="surrogate"):
        sealed({"text": "\ud800"})
    with pytest.raises(codec.PayloadTooLarge):
        sealed({"text": "x" * 300_000})


# --- Erased -----------------------------------------------------------------------------------


def test_erased_values_say_so_or_are_none() -> None:
    data = {
        "step": "received",
        "text": "Zoë",
        "facts": {"income": Decimal(3000), "amount": Decimal(5)},
        "changes": {"income": [1, 2]},
        "result": {"Zoë Example": 3},
    }
    assert erase(sealed(data)) == {
        "step": "received",
        "text": "[erased]",
        "facts": {"income": None, "amount": Decimal(5)},
        "changes": {"income": [None, None]},
        "result": {},
    }


def test_an_erased_text_is_a_text_that_can_be_told_from_others() -> None:
    found = erase(sealed({"text": "Zoë"}))["text"]
    assert isinstance(found, Erased)
    assert f"{found}" == "[erased]"
    assert pickle.loads(pickle.dumps(ERASED)) == ERASED


def test_nothing_personal_is_kept_after_the_key_is_gone() -> None:
    text = sealed({"step": "received", "text": "Zoë"}, key=keys.Destroyed(17, NINE))
    assert text == '{"$box":"","step":"received","text":{"$sealed":0}}'
    assert sealing.decode(text, 17, 5) == {"step": "received", "text": ERASED}


# --- In the table -----------------------------------------------------------------------------


@pytest.fixture
def story(write_history: Any) -> Any:
    """A history of case 1 of which some is sealed, with its key in the table."""
    history = write_history(events=2)
    [made] = keys.make({1: []}, made_at=NINE)
    with connection.cursor() as cursor:
        keys.insert(cursor, [made])
    history.sealer = Sealer(RULES, made.key)
    for said in ("Zoë Example", "called twice"):
        history.add("note.added", text=said, step="received")
    return history


def test_plain_and_sealed_events_stand_in_one_history(story: Any) -> None:
    said = [event.data.get("text") for event in events_of(1)]
    assert said == [None, None, "Zoë Example", "called twice"]
    assert [event.data.get("text") for event in Event.objects.order_by("number")] == said
    with connection.cursor() as cursor:
        cursor.execute("SELECT data, data::jsonb ->> 'step' FROM audit_event WHERE number > 2")
        for text, step in cursor.fetchall():
            assert step == "received"
            assert not {"Zoë", "called"} & set(text.replace('"', " ").split())


def test_the_chain_holds_without_any_key_and_after_destruction(story: Any, settings: Any) -> None:
    keys.destroy([1], NINE)
    settings.LONGCASE_MASTER_KEYS = ()
    assert verify.verify_case(*story.head) is None


def test_a_destroyed_key_erases_what_is_read_everywhere(story: Any) -> None:
    keys.destroy([1], NINE)
    assert [event.data.get("text") for event in events_of(1, after=2)] == [ERASED, ERASED]
    event = Event.objects.get(case_id=1, number=3)
    assert (event.data["text"], event.data["step"]) == ("[erased]", "received")
    assert event.erased_at == events_of(1, after=2)[0].erased_at == NINE
    assert Event.objects.get(case_id=1, number=1).erased_at is None


def test_a_box_moved_in_the_table_is_not_opened(story: Any, tamper: Any) -> None:
    tamper(
        "UPDATE audit_event SET data = (SELECT data FROM audit_event WHERE number = 4) "
        "WHERE number = 3"
    )
    with pytest.raises(sealing.BoxBroken, match="Event 3 of case 1 has the box of event 4"):
        _ = events_of(1)[2].data
    with pytest.raises(sealing.BoxBroken, match="Event 3"):
        _ = Event.objects.get(case_id=1, number=3).data["text"]


def test_reading_many_events_asks_once_for_their_key(
    story: Any, django_assert_num_queries: Any
) -> None:
    keys.forget()
    with django_assert_num_queries(2):
        assert [event.data for event in events_of(1)]
