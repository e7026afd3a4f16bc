"""Deliberate faults in the engine: the comparison with the reference finds each of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, settings
from hypothesis import strategies as st
from tests.engine.comparing import expected, in_one_go
from tests.engine_linear.test_key_order import let_room_run_short

from tocsin.engine import Options, lane_unit, mixed_matches, watch
from tocsin.engine.course import Course
from tocsin.engine.index import predicate_index
from tocsin.engine.index.few import few_of
from tocsin.engine.linear import (
    LinearLane,
    found,
    guards,
    lane,
    look_ahead,
    machine_state,
    numbering,
    recipe,
)
from tocsin.engine.linear.arrays import ANY, COUNT
from tocsin.engine.linear.guards import GuardStore
from tocsin.engine.linear.key_order import Arranged
from tocsin.engine.machines import both, by_variables, filters
from tocsin.engine.machines.counted import CountedMachine
from tocsin.engine.machines.follow import Follow, Link, Quiet
from tocsin.engine.machines.leaf import Conjunct
from tocsin.engine.machines.machine import Reach
from tocsin.engine.machines.sequence import SequenceMachine
from tocsin.engine.machines.side import Side
from tocsin.engine.machines.sightings import Sightings
from tocsin.engine.machines.tail import Tails
from tocsin.engine.machines.world import World
from tocsin.engine.policies import Policies
from tocsin.engine.state import Found, Left
from tocsin.model.event import Event
from tocsin.model.values import Value
from tocsin.testing.runnable import rows, runnable_programs

Fault = Callable[[pytest.MonkeyPatch], None]
FAULTS: dict[str, tuple[Fault, str, Options]] = {}
A, B, C = "a:[v < 3 AND g = $x]", "b:[v > 1 AND g = $x]", "c:[k = 'c']"


def fault(
    pattern: str,
    *,
    kernels: bool = False,
    single_step: bool = False,
    by_key_from: int = Options().by_key_from,
) -> Callable[[Fault], Fault]:
    """Note a fault of one road, and a pattern that meets it sooner than random ones do."""

    def note(make: Fault) -> Fault:
        options = Options(kernels=kernels, single_step=single_step, by_key_from=by_key_from)
        FAULTS[make.__name__] = make, f"SUBSCRIBE s MATCH {pattern}", options
        return make

    return note


@fault(f"{A} ; {B} WITHIN 2 s")
def within_is_off_by_one(patch: pytest.MonkeyPatch) -> None:
    def shorter(found: Found, limit: Any) -> bool:
        if limit.unit == "time":
            return found.end - found.begin < limit.amount
        return found.last.position - found.first < limit.amount

    patch.setattr(watch, "is_within", shorter)
    patch.setattr(filters, "is_within", shorter)


@fault(f"{A} ; {B} WITHIN 2 s")
def instances_are_dropped_one_event_too_early(patch: pytest.MonkeyPatch) -> None:
    def is_left_by(self: Reach, first: int, begin: int, position: int, end: int) -> bool:
        if self.span_us is not None and end - begin >= self.span_us:
            return True
        return self.events is not None and position - first >= self.events

    patch.setattr(Reach, "is_left_by", is_left_by)


@fault("a:[v < 2] -> b:[v > a.v]")
def the_first_later_is_any_later(patch: pytest.MonkeyPatch) -> None:
    build = importlib.import_module("tocsin.engine.machines.build")
    real = build._wanted
    patch.setattr(build, "_wanted", lambda j, e: () if j.kind == "->" else real(j, e))


@fault(f"{A} ; !{B} FOR 2 s")
def deadlines_are_reached_too_early(patch: pytest.MonkeyPatch) -> None:
    real = Course.reach
    patch.setattr(Course, "reach", lambda self, moment: real(self, moment + 1))


@fault(f"{A} ; {B}")
def variables_are_not_joined(patch: pytest.MonkeyPatch) -> None:
    real = Conjunct.apply

    def apply(self: Conjunct, left: Left, event: Event) -> Left | None:
        is_join = any(name in left.variables for name, _ in self.bindings)
        return left if is_join else real(self, left, event)

    patch.setattr(Conjunct, "apply", apply)


@fault(f"{A} ; !{C} ; {B}")
def what_lies_between_is_not_seen(patch: pytest.MonkeyPatch) -> None:
    real = Follow.__init__

    def blind(self: Follow, *rest: Any) -> None:
        real(self, *rest)
        self.absent = []

    patch.setattr(Follow, "__init__", blind)


@fault("a:[v < 3 AND g = $x AND k = $y] & b:[v > 1 AND g = $x AND k = $y]")
def both_sides_need_not_agree(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(both, "agree", lambda _: True)


@fault("(c:[k = 'c'] | a:[v < 3 AND g = $x]) & b:[v > 1 AND g = $x]")
def both_sides_need_to_know_the_variable(patch: pytest.MonkeyPatch) -> None:
    def agreeing(self: Side, variables: Mapping[str, Value]) -> list[Found]:
        return list(self._by_value.get(self._value(variables), {}).values())

    patch.setattr(Side, "agreeing", agreeing)


@fault(f"{A} ; !{C} ; {B}")
def those_who_wait_do_not_wake_for_what_is_absent(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Link, "awaited", lambda _, element: element.awaited)


@fault(f"{A} ; !{B} FOR 2 s")
def a_tail_is_not_woken(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Tails, "feed", lambda *_: None)


@fault(f"!{A} FOR 1 s")
def a_silence_is_ended_by_any_value(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(by_variables, "join_key", lambda _: None)


@fault(f"nth(2, {A})")
def nth_counts_all_variables_together(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CountedMachine, "_group", lambda *_: ())


@fault("a:[v < 4]+ UNTIL (k = 'c')")
def until_is_not_seen_by_what_has_begun(patch: pytest.MonkeyPatch) -> None:
    real = SequenceMachine._advance

    def advance(self: SequenceMachine, *rest: Any) -> bool:
        until, self.part.until = self.part.until, None
        try:
            return real(self, *rest)
        finally:
            self.part.until = until

    patch.setattr(SequenceMachine, "_advance", advance)


@fault(f"{A} ; !{C} FOR 1 s ; b:[v > 1]")
def a_wait_between_is_too_long(patch: pytest.MonkeyPatch) -> None:
    real = Quiet.__init__

    def longer(self: Quiet, *rest: Any) -> None:
        real(self, *rest)
        self.deadline += 500_000

    patch.setattr(Quiet, "__init__", longer)


@fault("!(a:[k = 'a' AND g = $x] -> b:[g = $x]) ; c:[k = 'c' AND g = $x]")
def a_leading_absence_does_not_look_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(World, "past", lambda *_: iter(()))


@fault(f"!{C} ; {A}")
def what_must_have_been_absent_is_not_noted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Sightings, "note", lambda *_: None)


@fault("!(a:[k = 'a'] -> b:[g = $x]) ; c:[k = 'c' AND g = $x]")
def everything_absent_is_sought_without_variables(patch: pytest.MonkeyPatch) -> None:
    build = importlib.import_module("tocsin.engine.machines.build")
    patch.setattr(build, "stands_alone", lambda *_: True)


@fault(f"{A} ; {B} PAIRS UNIQUE")
def pairs_may_share_events(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Policies, "is_unique", lambda *_: True)


@fault(f"{A} ; {B} DUPLICATES LAST", kernels=True)
def lanes_keep_every_match(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lane_unit, "choose", lambda matches: matches)


@fault(f"{A} ; {B} WITHIN 2 s", kernels=True)
def a_window_of_the_kernels_is_too_short(patch: pytest.MonkeyPatch) -> None:
    real = numbering.least_span
    patch.setattr(numbering, "least_span", lambda limits, unit: real(limits, unit) - 1)


@fault(f"{A} ; {B}", kernels=True)
def guards_of_the_kernels_are_not_asked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(GuardStore, "key", lambda *_: -1)
    patch.setattr(GuardStore, "take", lambda *_: -1)


@fault("a:[v < 3] -> b:[v > 1]", kernels=True)
def the_first_later_of_the_kernels_is_any(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(recipe._KINDS, "->", ANY)


@fault(f"{A} ; !{C} ; {B}", kernels=True)
def kernels_do_not_see_what_lies_between(patch: pytest.MonkeyPatch) -> None:
    real = recipe.Waiting
    patch.setattr(recipe, "Waiting", lambda *rest: real(*rest[:4], ()))


@fault("a:[v < 3] ; b:[v > 1] ; c:[k = 'c']", kernels=True)
def matches_of_the_kernels_are_not_sorted(patch: pytest.MonkeyPatch) -> None:
    def backwards(event: Any, *rest: Any) -> None:
        rest[-2][:] = range(len(event) - 1, -1, -1)

    patch.setattr(found, "sort_matches", backwards)


@fault("a:[v < 4]+ ; b:[sum(a.v) > 4]", kernels=True)
def sums_of_the_kernels_are_counts(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(guards._FUNCTIONS, "sum", COUNT)


@fault("a:[v < 3] ; b:[v > 1]", kernels=True, by_key_from=0)
def events_are_arranged_by_what_is_no_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LinearLane, "key", lambda self: self.vocabulary.attribute("g"))


@fault(f"{A} ; {B}", kernels=True, by_key_from=0)
def matches_stay_in_the_order_of_keys(patch: pytest.MonkeyPatch) -> None:
    real = found.in_order
    patch.setattr(lane, "in_order", lambda parts, _: real(parts, np.arange(10_000)))


@fault("a:[k = $x] ->{k = $x} b:[v < a.v AND k = $x]", kernels=True, by_key_from=0)
def what_comes_to_nothing_begins_and_waits_on(patch: pytest.MonkeyPatch) -> None:
    real = look_ahead.look_ahead

    def all_begin(*given: Any) -> Any:
        foreseen = real(*given)
        return foreseen._replace(begins=np.ones(len(foreseen.chosen), np.uint8))

    patch.setattr(lane, "look_ahead", all_begin)


@fault("a:[k = $x] ->{k = $x} b:[v < a.v AND k = $x]", kernels=True, by_key_from=0)
def matches_that_are_found_ahead_are_lost(patch: pytest.MonkeyPatch) -> None:
    real = look_ahead.look_ahead
    patch.setattr(lane, "look_ahead", lambda *given: real(*given)._replace(found=None))


@fault(f"{A} ; {B} WITHIN 2 s", kernels=True, by_key_from=0)
def windows_pass_for_keys_that_are_not_done(patch: pytest.MonkeyPatch) -> None:
    _let_keys_be_ahead(patch, lambda _: 1 << 16)


@fault(f"{A} ; {B} WITHIN 2 s", kernels=True, by_key_from=0)
def windows_pass_for_the_key_that_is_under_way(patch: pytest.MonkeyPatch) -> None:
    _let_keys_be_ahead(patch, lambda bucket: bucket + 1)


def _let_keys_be_ahead(patch: pytest.MonkeyPatch, changed: Callable[[int], int]) -> None:
    """Let the keys of further buckets pass for done."""
    let_room_run_short(patch)
    real = machine_state.MachineState.stand

    def stand(self: machine_state.MachineState, by_key: Arranged, done: int) -> None:
        real(self, by_key, done)
        self._ahead = (changed(self._ahead[0]), *by_key.behind)

    patch.setattr(machine_state.MachineState, "stand", stand)


@fault(f"{A} ; {B}", kernels=True, single_step=True)
def filters_that_start_a_match_are_not_awaited(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(machine_state, "count_awaited", lambda *_: None)


@fault("a:[v < 2] -> b:[v > 1]+ BY ;", kernels=True)
def a_loop_waits_as_its_first_event_did(patch: pytest.MonkeyPatch) -> None:
    always = property(lambda op: op.loop is not None)
    patch.setattr(recipe.Op, "loops_where_it_waits", always)


@fault(f"{A} ; {B}", kernels=True)
def one_of_few_conditions_is_not_asked(patch: pytest.MonkeyPatch) -> None:
    def forgetful(registry: Any) -> Any:
        few = few_of(registry)
        return few and few._replace(needs=few.needs & ~np.uint64(1))

    patch.setattr(predicate_index, "few_of", forgetful)


@fault(f"{A} & {B}; SUBSCRIBE t MATCH {B}", kernels=True)
def what_watches_say_comes_behind_all_of_lanes(patch: pytest.MonkeyPatch) -> None:
    def behind(lanes: Any, notices: Any) -> Any:
        return np.full(len(notices), len(lanes))

    patch.setattr(mixed_matches, "_places", behind)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, pattern, options = FAULTS[name]
    make(monkeypatch)
    chosen = settings(
        max_examples=2000,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
    )
    cases = st.tuples(st.just(pattern) | runnable_programs(), rows())
    text, stream = find(cases, lambda case: not _are_equal(*case, options), settings=chosen)
    assert text
    assert stream


def _are_equal(text: str, stream: list[dict[str, Any]], options: Options) -> bool:
    return bool(in_one_go(text, stream, options=options) == expected(text, stream))
