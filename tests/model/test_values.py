import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.model.values import (
    Duration,
    Kind,
    Timestamp,
    Value,
    comparable,
    is_missing,
    join_key,
    kind_of,
    same_value,
)

NUMBERS = st.integers(-3, 3) | st.sampled_from([-0.0, 0.0, 1.0, 2.5, math.inf])
PRESENT = (
    st.booleans()
    | NUMBERS
    | st.sampled_from(["", "1", "a"])
    | st.integers(-2, 2).map(Timestamp)
    | st.integers(-2, 2).map(Duration)
)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, Kind.BOOLEAN),
        (1, Kind.INTEGER),
        (1.0, Kind.FLOAT),
        ("1", Kind.STRING),
        (Timestamp(1), Kind.TIMESTAMP),
        (Duration(1), Kind.DURATION),
        (None, Kind.UNKNOWN),
    ],
)
def test_every_value_has_its_kind(value: Value, kind: Kind) -> None:
    assert kind_of(value) is kind


def test_only_integers_and_floats_are_numbers() -> None:
    assert [kind for kind in Kind if kind.is_number] == [Kind.INTEGER, Kind.FLOAT]


def test_null_and_nan_are_missing_and_equal_nothing() -> None:
    for missing in (None, math.nan):
        assert is_missing(missing)
        assert not same_value(missing, missing)
        assert not comparable(missing, 1)


@given(PRESENT, PRESENT)
def test_join_keys_are_equal_exactly_when_the_values_are(left: Value, right: Value) -> None:
    equal = same_value(left, right)
    assert (join_key(left) == join_key(right)) is equal
    if equal:
        assert hash(join_key(left)) == hash(join_key(right))


def test_a_timestamp_is_no_number_and_no_duration() -> None:
    assert not comparable(Timestamp(1), 1)
    assert not comparable(Timestamp(1), Duration(1))
