"""The engine finds exactly what the reference finds, however the rows are handed over."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.engine.comparing import (
    Rows,
    assert_equal,
    event_by_event,
    expected,
    in_batches,
    in_one_go,
    with_snapshots,
)
from tests.engine.programs import derived_programs, live_programs, live_rows, wild_programs

from tocsin.engine import Engine, Options
from tocsin.model.notification import Notifications
from tocsin.testing.runnable import rows, runnable_programs

ORDERS = st.sampled_from(["ordered", "unordered"])
often = settings(max_examples=max(90, settings.default.max_examples))


@often
@given(runnable_programs(), rows(max_size=11))
def test_in_one_go(text: str, stream: Rows) -> None:
    assert_equal(in_one_go(text, stream), expected(text, stream))


@often
@given(runnable_programs(), rows(max_size=11))
def test_event_by_event(text: str, stream: Rows) -> None:
    assert_equal(event_by_event(text, stream), expected(text, stream))


@often
@given(runnable_programs(), rows(max_size=11), st.lists(st.integers(1, 5), max_size=5))
def test_in_random_batches(text: str, stream: Rows, sizes: list[int]) -> None:
    assert_equal(in_batches(text, stream, sizes), expected(text, stream))


@often
@given(runnable_programs(), rows(max_size=11), st.sets(st.integers(0, 10)))
def test_with_snapshots_at_random_points(text: str, stream: Rows, cuts: set[int]) -> None:
    assert_equal(with_snapshots(text, stream, cuts), expected(text, stream))


@often
@given(runnable_programs(), rows(max_size=11))
def test_where_simultaneous_events_have_no_order(text: str, stream: Rows) -> None:
    wanted = expected(text, stream, simultaneous="unordered")
    assert_equal(in_one_go(text, stream, simultaneous="unordered"), wanted)


@often
@given(runnable_programs(), rows(max_size=11), st.integers(1, 11))
def test_as_tables_of_arrow(text: str, stream: Rows, size: int) -> None:
    plain = [row for row in stream if not row.keys() & {"$clock", "$subscribe", "$unsubscribe"}]
    names = sorted({name for row in plain for name in row})
    try:
        table = pa.table({name: [row.get(name) for row in plain] for name in names})
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # a column of mixed kinds
        assume(False)
    wanted = expected(text, plain)
    engine = Engine(text)
    parts = [engine.process(table.slice(at, size)) for at in range(0, len(plain), size)]
    assert [one for part in parts for one in part] == list(wanted)


SOURCES = ("base", "other", "base, other")


@often
@given(
    runnable_programs(sources=SOURCES, max_subscriptions=3),
    rows(max_size=11, streams=("base", "other")),
    st.data(),
)
def test_of_two_streams(text: str, stream: Rows, data: st.DataObject) -> None:
    _compare(text, stream, data)


BY_KEY_FROM = st.sampled_from([0, 1, Options().by_key_from])
"""So few partial matches wait in these tests that events come by key at once, soon or never."""

SWITCHED = st.builds(
    Options,
    kernels=st.booleans(),
    sharing=st.booleans(),
    active_states=st.booleans(),
    instance_index=st.booleans(),
    edge_index=st.booleans(),
    single_step=st.booleans(),
    by_key_from=BY_KEY_FROM,
)


@often
@given(runnable_programs(), rows(max_size=11), SWITCHED)
def test_with_sharing_and_indexes_switched_off(text: str, stream: Rows, options: Options) -> None:
    assert_equal(in_one_go(text, stream, options=options), expected(text, stream))


@often
@given(wild_programs(), rows(max_size=7), st.data())
def test_whatever_the_checker_lets_pass(text: str, stream: Rows, data: st.DataObject) -> None:
    _compare(text, stream, data)


@often
@given(derived_programs(), rows(max_size=8, streams=("base", "other")), st.data())
def test_streams_derived_from_streams(text: str, stream: Rows, data: st.DataObject) -> None:
    _compare(text, stream, data)


@often
@given(live_programs(), live_rows(), st.data())
def test_subscriptions_that_come_and_go(text: str, stream: Rows, data: st.DataObject) -> None:
    _compare(text, stream, data)


def _compare(text: str, stream: Rows, data: st.DataObject) -> None:
    """Hand the rows over in one of the ways."""
    order = data.draw(ORDERS)
    run = data.draw(st.sampled_from([in_one_go, event_by_event, _with_some_snapshots(data)]))
    options = Options(single_step=data.draw(st.booleans()), by_key_from=data.draw(BY_KEY_FROM))
    wanted = expected(text, stream, simultaneous=order)
    assert_equal(run(text, stream, simultaneous=order, options=options), wanted)


def _with_some_snapshots(data: st.DataObject) -> Any:
    def run(text: str, stream: Rows, **options: Any) -> Notifications:
        cuts = data.draw(st.sets(st.integers(0, len(stream))))
        return with_snapshots(text, stream, cuts, **options)

    return run
