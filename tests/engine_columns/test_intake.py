"""A table taken by column is what its rows are one by one."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from tocsin.engine.columns import Vocabulary, arrow, events_of, take_table
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.event import Event, Schema
from tocsin.model.read import rows_of
from tocsin.model.rows import Intake, IntakeState
from tocsin.model.times import TimeForm
from tocsin.model.values import INTEGER_MAX, Kind, Timestamp

LOGINS = Schema(
    {
        "ts": Kind.TIMESTAMP,
        "ip": Kind.STRING,
        "tries": Kind.INTEGER,
        "price": Kind.FLOAT,
        "ok": Kind.BOOLEAN,
        "seen": Kind.TIMESTAMP,
        "took": Kind.DURATION,
    },
    "ts",
)
UNTIMED = Schema({"price": Kind.FLOAT, "seen": Kind.TIMESTAMP})
COUNTED = Schema({"tries": Kind.INTEGER, "price": Kind.STRING}, "tries")


@pytest.fixture(
    params=[1, 1_024], ids=["texts in Arrow", "texts in Python"], autouse=True, scope="module"
)
def _texts_in_arrow(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let small dictionaries be what only large ones are."""
    with patch.object(arrow, "_IN_ARROW_FROM", request.param):
        yield


SMALL = st.integers(-3, 12)
NUMBERS = st.sampled_from([0.0, -0.0, 1.0, 2.5, 3.0, 1e300, 2.0**63, float("nan"), float("inf")])
ISO = ["1970-01-01T00:00:00.005Z", "1970-01-01T00:00:00Z", "1970-01-01", "noon", "1970-02-30", " "]
QUARTERS = st.sampled_from([Decimal(n) / 4 for n in (0, 1, -1, 6, 8, -8, 20, 40)])
CELLS = {
    pa.int64(): SMALL | st.sampled_from([INTEGER_MAX, -(2**63), 9223372036854775]),
    pa.uint64(): st.integers(0, 9) | st.just(2**63),
    pa.int8(): SMALL,
    pa.float64(): SMALL.map(float) | NUMBERS,
    pa.float32(): SMALL.map(float) | st.just(float("nan")),
    pa.decimal128(10, 2): QUARTERS | st.sampled_from([Decimal("0.10"), Decimal("-1.01")]),
    pa.decimal128(38, 18): QUARTERS | st.just(Decimal("1e-18")),
    pa.decimal128(38, 0): st.sampled_from(
        [
            Decimal(sign * (2**power + more))
            for sign in (1, -1)
            for power in (53, 62, 63, 64, 90)
            for more in (-1, 0, 1)
        ]
    ),
    pa.decimal128(5, -2): st.just(Decimal(100)),
    pa.decimal256(40, 1): st.just(Decimal("0.5")),
    pa.string(): st.sampled_from([*ISO, "s", "asks", "ä"]),
    pa.large_string(): st.sampled_from(["1970-01-01T00:00:00.003Z", "1970-01-01T00:00:01Z"]),
    pa.dictionary(pa.int8(), pa.string()): st.sampled_from(["s", "asks"]),
    pa.bool_(): st.booleans(),
    pa.timestamp("us"): SMALL.map(lambda ms: ms * 1000),
    pa.timestamp("s", tz="UTC"): SMALL,
    pa.timestamp("ns"): st.sampled_from([0, 1_000_000, 2_000_000, 2_000_001]),
    pa.date32(): st.integers(0, 2),
    pa.duration("ms"): SMALL,
    pa.null(): st.none(),
    pa.list_(pa.int64()): st.lists(SMALL, max_size=1),
    pa.struct({"fuzzy": pa.int64()}): st.just({"fuzzy": 1}),
    pa.binary(): st.just(b"x"),
}
LIKELY = {
    "ts": [pa.int64(), pa.timestamp("us"), pa.float64(), pa.string()],
    "time": [pa.int64(), pa.large_string()],
    "ip": [pa.string(), pa.dictionary(pa.int8(), pa.string())],
    "tries": [pa.int64(), pa.int8(), pa.float64(), pa.decimal128(38, 0)],
    "price": [pa.float64(), pa.float32(), pa.int64(), pa.decimal128(10, 2)],
    "ok": [pa.bool_(), pa.null()],
    "seen": [pa.timestamp("s", tz="UTC"), pa.int64(), pa.string(), pa.date32()],
    "took": [pa.duration("ms")],
    "tags": [pa.list_(pa.int64())],
    "$stream": [pa.string(), pa.dictionary(pa.int8(), pa.string())],
    "$end": [pa.int64(), pa.timestamp("us")],
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    names = draw(st.lists(st.sampled_from([*LIKELY]), unique=True, min_size=1, max_size=6))
    if draw(st.integers(0, 3)):
        names = ["ts", *(name for name in names if name != "ts")]
    size = draw(st.integers(0, 10))
    columns = {}
    for name in names:
        kinds = LIKELY[name] if draw(st.integers(0, 9)) else list(CELLS)
        kind = draw(st.sampled_from(kinds))
        cells = CELLS[kind] if draw(st.booleans()) else st.none() | CELLS[kind]
        found = draw(st.lists(cells, min_size=size, max_size=size))
        columns[name] = pa.array(found, kind)
    table = pa.table(columns)
    cut = draw(st.integers(0, size))
    return pa.concat_tables([table.slice(0, cut), table.slice(cut)])


INTAKES = st.fixed_dictionaries(
    {
        "schemas": st.dictionaries(
            st.sampled_from(["s", "asks"]), st.sampled_from([LOGINS, UNTIMED, COUNTED])
        ),
        "time": st.sampled_from([None, None, "time"]),
    }
)
BEFORE = st.lists(
    st.sampled_from([{"ts": 1}, {"$clock": 2}, {"x": 1}, {"ts": 3, "$stream": "asks"}]), max_size=2
)


@dataclass
class ByRow:
    events: list[Event]
    letters: list[DeadLetter]
    state: IntakeState


def by_row(table: pa.Table, intake: Intake, first_row: int) -> ByRow:
    steps = [intake.accept(first_row + row, raw) for row, raw in rows_of(table)]
    events = [step for step in steps if isinstance(step, Event)]
    return ByRow(events, [step for step in steps if isinstance(step, DeadLetter)], intake.state())


def typed(one: Event) -> tuple[object, ...]:
    values = {name: (type(value), repr(value)) for name, value in one.values.items()}
    return (one.stream, one.row, one.begin, one.end, values)


def agrees(table: pa.Table, intake: Intake, first_row: int = 0) -> bool:
    """Say whether a table was taken by column, and check that its rows say the same."""
    # A dead letter of the reader counts from the table's first row.
    expected = by_row(table, intake.copy(), first_row)
    before, words = intake.state(), Vocabulary()
    taken = take_table(table, intake, words, first_row=first_row)
    if taken is None:
        assert intake.state() == before
        assert (words.size, words.width) == (0, 3)
        return False
    found = events_of(taken.batch, taken.rows, words.words(), np.arange(taken.batch.size))
    assert list(map(typed, found)) == list(map(typed, expected.events))
    assert taken.letters == expected.letters
    assert intake.state() == expected.state
    return True


@given(tables(), INTAKES, BEFORE)
@example(
    pa.table({"ts": pa.array([None, 5, 4], pa.int64()), "price": [1, 2, 3]}),
    {"schemas": {"s": LOGINS}, "time": None},
    [],
)
def test_by_column_is_by_row(
    table: pa.Table, options: dict[str, object], before: list[object]
) -> None:
    intake = Intake(options["schemas"], default_stream="s", time=options["time"])  # type: ignore[arg-type]
    for row, raw in enumerate(before):
        intake.accept(row, raw)
    event(f"by column: {agrees(table, intake, first_row=len(before))}")


def plain(**schemas: Schema) -> Intake:
    return Intake(schemas, default_stream="s")


MS = pa.array([1, 2, 2, 5, 3, 6], pa.int64())
GOOD = {
    "integers": {"ts": MS, "price": [1.5, None, 2.5, float("nan"), 3.5, 4.5]},
    "moments": {"ts": MS.cast(pa.timestamp("ms")), "ip": ["a", "b", None, "a", "a", "b"]},
    "texts": {"ts": ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01.5Z"], "ok": [True, None]},
    "other texts": {"ts": ["1970-01-01", "1970-01-01T00:00+01:00"], "ok": [True, None]},
    "a fraction": {"ts": [1.0, 1.5, 3.0]},
    "decimals": {"ts": MS, "price": [*map(Decimal, ("1.50", "0.10", "2.00", "-0.25", "7")), None]},
    "no time": {"price": [1, 2]},
    "missing times": {"ts": pa.array([1, None, 3], pa.int64())},
    "nested": {"ts": [1, 2], "tags": [[1], None]},
    "streams": {"ts": [1, 3, 2, 4], "$stream": ["asks", None, "b", " "]},
    "ends": {"ts": [1, 2, 3, 4], "$end": [5, None, 6, 3]},
}


@pytest.mark.parametrize("columns", GOOD.values(), ids=GOOD)
@pytest.mark.parametrize("declared", [False, True])
def test_what_is_usual_goes_by_column(columns: dict[str, object], declared: bool) -> None:
    assert agrees(pa.table(columns), plain(s=LOGINS) if declared else plain(), first_row=100)


ODD = {
    "commands": {"ts": [1], "$clock": [None]},
    "bytes": {"ts": [1], "x": [b"x"]},
    "a fuzzy value": {"ts": [1], "x": [{"fuzzy": 1}]},
    "too long": {"ts": [1], "x": pa.array([2**63], pa.uint64())},
    "a decimal of many bits": {"ts": [1], "x": [Decimal(2**70)]},
    "a time that is a decimal": {"ts": [Decimal("1.00")]},
    "too fine": {"ts": pa.array([1], pa.timestamp("ns"))},
    "a stream that is no text": {"ts": [1], "$stream": [5]},
    "streams that settle their time differently": {"ts": [1, None], "$stream": ["a", "b"]},
    "ends without begins": {"x": [1], "$end": [5]},
}


@pytest.mark.parametrize("columns", ODD.values(), ids=ODD)
def test_what_only_rows_can_tell_changes_nothing(columns: dict[str, object]) -> None:
    assert not agrees(pa.table(columns), plain())


def test_two_columns_of_one_name_are_left_to_the_rows() -> None:
    twice = pa.table([pa.array([1]), pa.array([2])], ["ts", "ts"])
    assert take_table(twice, plain(), Vocabulary(), first_row=0) is None


def test_after_the_last_moment_rows_tell_why() -> None:
    intake = plain()
    intake.accept(0, {"$clock": Timestamp(INTEGER_MAX)})
    assert not agrees(pa.table({"x": [1]}), intake)


def test_a_record_batch_is_a_table() -> None:
    taken = take_table(pa.record_batch({"ts": [5]}), plain(), Vocabulary(), first_row=3)
    assert taken is not None
    assert taken.rows.tolist() == [3]


def test_tables_follow_one_another() -> None:
    intake = plain()
    assert agrees(pa.table({"ts": [5, 7]}), intake)
    assert agrees(pa.table({"ts": [6, 8]}), intake, first_row=2)
    assert intake.state().last_end == 8000
    assert intake.time_form is TimeForm.MILLISECONDS


def test_a_table_without_rows_settles_nothing() -> None:
    assert agrees(pa.table({"ts": pa.array([], pa.int64())}), plain())


class TestBeforeTheFirstEvent:
    def test_a_row_is_judged_by_the_time_it_suggests_itself(self) -> None:
        columns = {"ts": ["noon", None, None], "time": pa.array([None, 5, 6], pa.int64())}
        assert agrees(pa.table(columns), plain())

    def test_a_row_that_another_time_would_make_an_event_is_none(self) -> None:
        columns = {"ts": ["noon", None, None], "time": [1, 5, 6]}
        assert agrees(pa.table(columns), plain())

    def test_times_are_shown_as_nothing_was_known_of_their_form(self) -> None:
        assert agrees(pa.table({"ts": [5, 5, 6], "$end": [3, None, 2]}), plain())

    def test_a_head_without_events_is_left_to_the_rows(self) -> None:
        times = [None, *["noon"] * 100]
        columns = {"ts": [*times[1:], None], "time": times}
        assert not agrees(pa.table(columns), plain())


def test_times_at_the_edge_of_64_bits() -> None:
    most = 9223372036854775
    assert agrees(pa.table({"ts": [-most - 1, -most, most, most + 1]}), plain())
    assert agrees(pa.table({"ts": [0.0, 2.0**53, 2.0**54, 2.0**63, float("inf")]}), plain())


def test_a_declared_moment_settles_the_form_of_a_stream_without_time() -> None:
    intake = plain(s=UNTIMED)
    assert agrees(pa.table({"seen": [1, 2]}), intake)
    assert intake.time_form is TimeForm.MILLISECONDS
    assert not agrees(pa.table({"seen": pa.array([None, 2], pa.int64())}), plain(s=UNTIMED))
