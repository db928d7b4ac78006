import json
import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import models
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit import codec

# --- What is encoded comes back ------------------------------------------------------------

storable = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
moments = st.datetimes(timezones=st.just(UTC))
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | storable
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.dates()
    | moments
    | st.uuids()
    | st.timedeltas()
)
keys = storable | st.sampled_from(["$", "$$", "$decimal", "$$date", "$uuid", "$unknown"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=12
)
payloads = st.dictionaries(keys, values)


@settings(suppress_health_check=[HealthCheck.too_slow])  # the machine may pause while it draws
@given(payloads)
def test_what_was_recorded_is_what_is_read(data: dict[str, Any]):
    assert codec.decode(codec.encode(data)) == data


@given(
    st.datetimes(
        min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1), timezones=st.timezones()
    )
)
def test_a_moment_of_any_zone_comes_back_as_the_same_instant(moment: datetime):
    assert codec.decode(codec.encode({"at": moment}))["at"].timestamp() == moment.timestamp()


@given(payloads)
def test_the_same_data_has_one_spelling(data: dict[str, Any]):
    text = codec.encode(data)

    assert codec.encode(codec.decode(text)) == text
    assert codec.encode(dict(reversed(data.items()))) == text


@given(payloads)
def test_the_text_is_json_without_spaces_and_with_sorted_keys(data: dict[str, Any]):
    text = codec.encode(data)

    assert text == json.dumps(
        json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("1.00"), '{"$decimal":"1.00"}'),
        (date(2027, 3, 28), '{"$date":"2027-03-28"}'),
        (datetime(2027, 3, 28, 1, tzinfo=UTC), '{"$datetime":"2027-03-28T01:00:00.000000Z"}'),
        (
            datetime(2027, 3, 28, 1, 0, 0, 5, tzinfo=timezone(timedelta(hours=2))),
            '{"$datetime":"2027-03-27T23:00:00.000005Z"}',
        ),
        (UUID(int=7), '{"$uuid":"00000000-0000-0000-0000-000000000007"}'),
        (timedelta(days=1), '{"$seconds":"86400"}'),
        (timedelta(seconds=-1.5), '{"$seconds":"-1.5"}'),
        (timedelta(microseconds=-1), '{"$seconds":"-0.000001"}'),
        ((1, "é"), '[1,"é"]'),
        ({"$decimal": "mine"}, '{"$$decimal":"mine"}'),
    ],
)
def test_each_kind_of_value_has_its_documented_spelling(value: Any, text: str):
    assert codec.encode({"value": value}) == f'{{"value":{text}}}'


def test_a_decimal_keeps_its_trailing_zeros():
    assert str(codec.decode(codec.encode({"amount": Decimal("20.50")}))["amount"]) == "20.50"


def test_a_choice_is_recorded_as_its_word():
    class Step(models.TextChoices):
        RECEIVED = "received"

    assert codec.encode({"step": Step.RECEIVED}) == '{"step":"received"}'


# --- What cannot be kept is refused, with its place ----------------------------------------


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (math.nan, "data.a[1].b"),
        (math.inf, "data.a[1].b"),
        (Decimal("NaN"), "data.a[1].b"),
        ("one\0two", "data.a[1].b"),
        ("half a pair \ud800", "data.a[1].b"),
        (datetime(2027, 1, 1), "data.a[1].b"),
        ({"k\0": 1}, "a key of data.a[1].b"),
    ],
)
def test_a_value_that_could_not_be_read_back_is_refused_by_place(value: Any, place: str):
    with pytest.raises(ValueError) as refusal:
        codec.encode({"a": [1, {"b": value}]})

    assert place in str(refusal.value)


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, object(), time(9), 1j])
def test_a_value_without_a_spelling_is_refused_by_place(value: Any):
    with pytest.raises(TypeError, match=r"data\.a\[0\]\.b is a "):
        codec.encode({"a": [{"b": value}]})


def test_a_key_that_is_not_text_is_refused_rather_than_turned_into_text():
    with pytest.raises(TypeError, match=r"data\.a has the key 7"):
        codec.encode({"a": {7: "seven"}})


def test_a_plain_nul_is_refused_but_its_spelling_as_text_is_not():
    with pytest.raises(ValueError, match=r"data\.a contains a NUL"):
        codec.encode({"a": "\0"})

    assert codec.decode(codec.encode({"a": r"\u0000"})) == {"a": r"\u0000"}


def test_data_beyond_the_limit_is_refused_with_both_sizes(settings: Any):
    settings.LONGCASE_EVENT_BYTES = 100

    assert codec.encode({"a": "x" * 92})
    with pytest.raises(codec.PayloadTooLarge, match=r"takes 101 bytes; 100 are allowed"):
        codec.encode({"a": "x" * 93})
    with pytest.raises(codec.PayloadTooLarge):  # bytes count, not characters
        codec.encode({"a": "é" * 60})


def test_a_tag_of_a_newer_version_is_not_taken_for_data():
    with pytest.raises(ValueError, match="newer"):
        codec.decode('{"a":{"$colour":"red"}}')


@pytest.mark.parametrize("text", ["", " ", "{", '{"a":1', '{"a":1} ', '{"a":1}{"b":2}', "nonsense"])
def test_what_encode_never_wrote_is_refused(text):
    with pytest.raises(ValueError):
        codec.decode(text)
