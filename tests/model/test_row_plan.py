import pytest

from tocsin.model.event import Schema
from tocsin.model.row_plan import RowPlan
from tocsin.model.values import Kind, Timestamp


def plan(**kinds: Kind) -> RowPlan:
    found = RowPlan("s", Schema(kinds, "ts"))
    found.learn(["ts", "n"])
    return found


@pytest.mark.parametrize("ms", [2**60, -(2**60)])
def test_a_time_outside_64_bits_goes_the_long_way(ms: int) -> None:
    assert plan(ts=Kind.TIMESTAMP).read({"ts": ms}) is None


def test_milliseconds_and_moments_are_times() -> None:
    found = plan(ts=Kind.TIMESTAMP)
    assert found.read({"ts": 5}) == found.read({"ts": Timestamp(5000)}) == {"ts": Timestamp(5000)}


def test_a_time_declared_as_an_integer_stays_one() -> None:
    found = plan(ts=Kind.INTEGER).read({"ts": 5})
    assert found is not None
    assert type(found["ts"]) is int


def test_missing_values_are_left_out() -> None:
    assert plan(ts=Kind.TIMESTAMP).read({"ts": 1, "n": None}) == {"ts": Timestamp(1000)}


def test_the_row_stays_as_it_is() -> None:
    row: dict[str, object] = {"ts": 1, "n": None}
    plan(ts=Kind.TIMESTAMP).read(row)
    assert row == {"ts": 1, "n": None}
