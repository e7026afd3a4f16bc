"""A watch that is told only of events that satisfy one of its interests finds the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from tests.engine.comparing import Rows, assert_equal, expected, in_one_go, with_snapshots
from tests.engine.programs import derived_programs, live_programs, live_rows, wild_programs
from tests.engine.skipping import Solo, skip_everywhere

import tocsin
from tocsin.engine.machines import gate
from tocsin.engine.machines.interests import Interest, interests_of
from tocsin.engine.watch import Watch
from tocsin.language.live import LiveProgram
from tocsin.language.parser import parse_expression
from tocsin.testing.runnable import rows, runnable_programs, runnable_subscriptions

ORDERS = st.sampled_from(["ordered", "unordered"])
often = settings(max_examples=max(90, settings.default.max_examples))
DEFINITIONS = "DEFINE big AS v > 2;\nDEFINE even AS v % 2 = 0;\n"


@pytest.fixture(scope="module")
def skipping() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        skip_everywhere(patch)
        yield


@often
@given(runnable_subscriptions(), rows(max_size=14), st.booleans())
def test_what_is_skipped_changes_nothing(text: str, stream: Rows, unordered: bool) -> None:
    _compare(DEFINITIONS + text, stream, unordered=unordered)


@often
@given(wild_programs(), rows(max_size=10), st.booleans())
def test_whatever_the_checker_lets_pass(text: str, stream: Rows, unordered: bool) -> None:
    _compare(text, stream, unordered=unordered)


def _compare(text: str, stream: Rows, *, unordered: bool) -> None:
    all_of_it = Solo(text, unordered=unordered, skips=False)
    concerned = Solo(text, unordered=unordered, skips=True)
    assert concerned.process(stream) == all_of_it.process(stream)
    assert concerned.watch.state.world.position == all_of_it.watch.state.world.position


@often
@given(runnable_programs(), rows(max_size=11), ORDERS, st.sets(st.integers(0, 10)))
@pytest.mark.usefixtures("skipping")
def test_with_skipping_the_engine_equals_the_reference(
    text: str, stream: Rows, order: str, cuts: set[int]
) -> None:
    wanted = expected(text, stream, simultaneous=order)
    assert_equal(with_snapshots(text, stream, cuts, simultaneous=order), wanted)


@often
@given(derived_programs(), rows(max_size=8, streams=("base", "other")), ORDERS)
@pytest.mark.usefixtures("skipping")
def test_with_skipping_derived_streams_equal_the_reference(
    text: str, stream: Rows, order: str
) -> None:
    wanted = expected(text, stream, simultaneous=order)
    assert_equal(in_one_go(text, stream, simultaneous=order), wanted)


@often
@given(live_programs(), live_rows(), ORDERS)
@pytest.mark.usefixtures("skipping")
def test_with_skipping_live_change_equals_the_reference(
    text: str, stream: Rows, order: str
) -> None:
    wanted = expected(text, stream, simultaneous=order)
    assert_equal(in_one_go(text, stream, simultaneous=order), wanted)


A, B, C = "a:[k = 'a' AND g = $x]", "b:[k = 'b' AND g = $x]", "c:[k = 'c']"
IS_A, IS_B, IS_C = "k = 'a'", "k = 'b'", "k = 'c'"

INTERESTS: dict[str, list[str] | None] = {
    f"{A} ; {B}": [IS_A, IS_B],
    f"{A} & {B}": [IS_A, IS_B],
    f"{A} , {B}": [IS_A, IS_B],
    f"{A} ; !{C} ; {B}": [IS_A, IS_C, IS_B],
    f"{A} , !{C} -> {B}": [IS_A, IS_C, IS_B],
    f"{A} ; !{C} FOR 1 s": [IS_A, IS_C],
    f"!{C} ; {A}": [IS_C, IS_A],
    f"!{C} FOR 1 s": [IS_C],
    f"{A} ->{{v > 2}} {B}": [IS_A, "v > 2", IS_B],
    f"{A} ->{{v > a.v}} {B}": None,
    f"{A} ->{{TRUE}} {B}": None,
    "a:[k = 'a']+ UNTIL (k = 'b')": [IS_A, IS_B],
    "a:[k = 'a']+ UNTIL (v > prev(a.v))": None,
    "a:[k = 'a'] ; b:[v > a.v]": None,
    "a:[k = 'a'] ; b:[b.v > 2 AND v > a.v]": [IS_A, "v > 2"],
    "a:[k = 'a'] ; b:[TRUE]": None,
    "a:[k = 'a'] ; b:[k = 'a']": [IS_A],
    "nth(2, a:[k = 'a']) WITHIN 4 EVENTS": [IS_A],
}


@pytest.mark.parametrize("pattern", INTERESTS)
def test_the_interests_are_those_of_all_atoms_gates_and_ends(pattern: str) -> None:
    wanted = INTERESTS[pattern]
    found = _interests(f"SUBSCRIBE s MATCH {pattern}")
    if wanted is None:
        assert found is None
    else:
        assert found is not None
        assert set(found) == {(None, parse_expression(condition)) for condition in wanted}


def test_where_simultaneous_events_have_no_order_the_next_are_told_by_all() -> None:
    assert _interests(f"SUBSCRIBE s MATCH {A} , {B}", unordered=True) is None
    assert _interests(f"SUBSCRIBE s MATCH {A} , !{C} ; {B}", unordered=True) is None
    assert _interests(f"SUBSCRIBE s MATCH {A} -> {B}", unordered=True) is not None


def test_a_stream_is_an_interest_unless_it_is_the_only_one() -> None:
    true = parse_expression("TRUE")
    text = "SUBSCRIBE s FROM p, q MATCH a:p[TRUE] ; b:q[k = 'b']"
    assert _interests(text) == (("p", true), ("q", parse_expression(IS_B)))
    assert _interests("SUBSCRIBE s FROM p MATCH a:p[TRUE]") is None


def test_definitions_are_inlined() -> None:
    text = "DEFINE big AS v > 2; SUBSCRIBE s MATCH a:big"
    assert _interests(text) == ((None, parse_expression("v > 2")),)


def _interests(text: str, *, unordered: bool = False) -> tuple[Interest, ...] | None:
    program = tocsin.parse(text)
    (normal,) = LiveProgram(program).normal(program.subscriptions)
    return interests_of(normal.pattern, normal.sources, unordered=unordered)


def test_events_that_are_skipped_count() -> None:
    solo = Solo(f"SUBSCRIBE s MATCH {A} ; {B} WITHIN 3 EVENTS", unordered=False, skips=True)
    between = [{"ts": 1, "k": "d"}, {"ts": 2, "k": "d"}]
    begin, end = {"ts": 0, "k": "a", "g": "x"}, {"ts": 3, "k": "b", "g": "x"}
    assert solo.process([begin, *between, end]) == []
    assert (solo.skipped, solo.watch.state.counts.events) == (2, 4)


def _blind_for_b(patch: pytest.MonkeyPatch) -> None:
    real = Watch.interests
    is_b = (None, parse_expression(IS_B))

    def interests(self: Watch) -> tuple[Interest, ...] | None:
        found = real(self)
        return found and tuple(one for one in found if one != is_b)

    patch.setattr(Watch, "interests", interests)


def _any_event_is_the_next(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(gate, "_is_next", lambda *_: True)


def _what_is_skipped_does_not_count(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Watch, "skip", lambda *_: None)


FAULTS: list[tuple[Callable[[pytest.MonkeyPatch], None], str]] = [
    (_blind_for_b, "a:[k = 'a'] ->{k = 'b'} c:[v > 2]"),
    (_blind_for_b, "a:[k = 'a']+ UNTIL (k = 'b')"),
    (_blind_for_b, "a:[k = 'a'] ; !b:[k = 'b'] FOR 1 s"),
    (_blind_for_b, "a:[k = 'a'] ; !b:[k = 'b'] ; c:[k = 'c']"),
    (_blind_for_b, "a:[k = 'a'] , !b:[k = 'b'] ; c:[k = 'c']"),
    (_blind_for_b, "!b:[k = 'b'] FOR 1 s ; a:[k = 'a']"),
    (_blind_for_b, "!b:[k = 'b'] FOR 2 s"),
    (_any_event_is_the_next, "a:[k = 'a'] , b:[k = 'b']"),
    (_any_event_is_the_next, "a:[k = 'a'] , !b:[k = 'b'] ; c:[k = 'c']"),
    (_what_is_skipped_does_not_count, "a:[k = 'a'] ; b:[k = 'b'] WITHIN 2 EVENTS"),
]


@pytest.mark.parametrize(("make", "pattern"), FAULTS)
def test_a_fault_is_found(
    make: Callable[[pytest.MonkeyPatch], None], pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"SUBSCRIBE s MATCH {pattern}"
    make(monkeypatch)
    chosen = settings(
        max_examples=2000, derandomize=True, database=None, deadline=None, phases=[Phase.generate]
    )

    def differs(stream: Rows) -> bool:
        told = Solo(text, unordered=False, skips=True).process(stream)
        return told != list(expected(text, stream))

    assert find(rows(max_size=8), differs, settings=chosen)


@pytest.mark.parametrize(
    "pattern",
    [f"{A} ; {B}", f"{A} & {B}", f"({A} ; {C}) & {B}", f"({A} , {B}) | ({A} ; !{C} ; {B})"],
)
@pytest.mark.parametrize("window", ["2 s", "2 EVENTS"])
def test_what_events_that_were_skipped_have_ended_is_dropped_on_demand(
    pattern: str, window: str
) -> None:
    solo = Solo(f"SUBSCRIBE s MATCH {pattern} WITHIN {window}", unordered=False, skips=True)
    solo.process([{"ts": 0, "k": "a", "g": "x"}])
    solo.watch.expire(1_000_000)
    assert _instances(solo)
    solo.process([{"ts": 1000, "k": "d"}, {"ts": 2001, "k": "d"}])
    solo.watch.expire(2_001_000)
    assert (solo.skipped, _instances(solo)) == (2, 0)


def _instances(solo: Solo) -> int:
    machine = solo.watch.state.machine
    assert machine is not None
    return sum(1 for _ in machine.instances())
