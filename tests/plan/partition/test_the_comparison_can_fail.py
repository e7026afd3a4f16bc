"""Deliberate faults in the planner: splitting by its wrong plans is seen to give other answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import Phase, find, settings
from hypothesis.errors import NoSuchExample
from tests.plan.partition.dense import dense_rows
from tests.plan.partition.splitting import (
    Course,
    Rows,
    course_of,
    in_one,
    split_chains,
    split_unit,
    units_of,
)

from tocsin.language.normal import Leaf, Normal
from tocsin.language.normal.normalize import present_leaves
from tocsin.language.tree import Or
from tocsin.plan.partition import by_key, by_time, key_policies, needs, reach, ties, units
from tocsin.plan.partition.by_key import Left, _Proof
from tocsin.plan.partition.key_reach import _Reach, key_reach_of
from tocsin.plan.partition.nodes import Choice, Overlap, Unit
from tocsin.plan.partition.shape import Site
from tocsin.plan.partition.ties import Ties, equalities

Fault = Callable[[pytest.MonkeyPatch], None]
FAULTS: dict[str, tuple[Fault, str, bool]] = {}
A, B = "a:[k = 'a' AND g = $x]", "b:[g = $x]"
NEXT = "->{g = $x}"
SEARCH = settings(max_examples=1000, phases=[Phase.generate], derandomize=True, database=None)


def fault(
    pattern: str, *, source: str = "one", more: str = "", unordered: bool = False
) -> Callable[[Fault], Fault]:
    """Note a fault and a program that meets it."""

    def note(make: Fault) -> Fault:
        text = f"SUBSCRIBE s FROM {source} MATCH {pattern}{more}"
        FAULTS[make.__name__] = make, text, unordered
        return make

    return note


def differs(text: str, stream: Rows, *, unordered: bool) -> bool:
    """Say whether some strategy gives other answers than the whole."""
    course = course_of(text, stream, unordered=unordered)
    return any(
        found != in_one(course, unit.subscriptions)
        for unit in units_of(course)
        for choice in unit.choices
        for parts in (2, 7)
        for found in _splits(course, unit, choice, parts)
    )


def _splits(course: Course, unit: Unit, choice: Choice, parts: int) -> Iterator[list[Any]]:
    yield split_unit(course, unit, choice, parts)
    if choice.chain is not None:
        yield split_chains(course, unit, choice, parts)


def _nothing(*_: Any, **__: Any) -> None:
    return None


@fault(f"{A} ; ![k = 'b'] ; {B}")
def the_key_proof_ignores_absences(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Proof, "absent", _nothing)


@fault(f"{A} ; {B} ; ![k = 'b'] FOR 1 s")
def the_key_proof_ignores_trailing_absences(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Proof, "absent", _nothing)


@fault(f"!q:[k = 'b'] ; {A}")
def the_key_proof_ignores_leading_absences(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(by_key, "leads_of", lambda _: ())


@fault(f"{A} ->{{k = 'b'}} {B}")
def the_key_proof_ignores_explicit_conditions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Proof, "site", _nothing)


@fault("(a:[g = $x]{2} BY ; UNTIL (k = 'b'))")
def the_key_proof_ignores_until(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Proof, "site", _nothing)


@fault("(a:[g = $x] & b:[g = $y])")
def the_sides_of_and_are_thought_to_meet(patch: pytest.MonkeyPatch) -> None:
    def both(self: _Proof, node: Any, left: Left) -> Left:
        return Left(frozenset().union(*(self.visit(p, left).variables for p in node.parts)))

    patch.setattr(_Proof, "both", both)
    patch.setattr(units, "candidate_keys", lambda _: [{"one": "g"}])


@fault("nth(2, a:[k = 'a']) ; b:[g = a.g]")
def nth_is_thought_to_count_by_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Proof, "counted", lambda self, node, left: self.visit(node.part, left))


@fault("a:[k = 'a'] -> b:[k = 'b'] WHERE a.g = b.g")
def where_is_thought_to_choose_events(patch: pytest.MonkeyPatch) -> None:
    visit = _Proof.visit
    patch.setattr(_Proof, "visit", lambda self, node, left, **_: visit(self, node, left))
    patch.setattr(
        _Proof,
        "leaf",
        lambda self, leaf, left, real=_Proof.leaf, **_: real(self, leaf, left, ask_afterwards=True),
    )


@fault("a:[g = $x] ; b:[g = $x OR k = 'b']")
def or_is_thought_to_join(patch: pytest.MonkeyPatch) -> None:
    def either(condition: Any) -> Iterator[Any]:
        yield from equalities(condition)
        for part in condition.parts if isinstance(condition, Or) else ():
            yield from equalities(part)

    patch.setattr(ties, "equalities", either)


@fault("b:[k = 'a'] ; a:[k = 'b' AND g = b.g AND g = $x]? ; c:[g = $x]")
def what_may_vanish_is_thought_to_bind(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Left, "or_without", lambda self, _: self)


@fault("z:[k = 'a' AND g = $x] ; (a:[k = 'b' AND g = $x]? ->{g = $x} b:[v = 1])")
def a_joint_is_thought_to_tie_what_it_may_not_join(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Proof, "is_tied_by_joint", lambda _self, _chain, index: index > 0)


@fault("a:[v = $x] ; (b:[g = a.g]{2} BY ; UNTIL (g = $x))")
def any_variable_is_thought_to_hold_the_key(patch: pytest.MonkeyPatch) -> None:
    def of(subscription: Any, key: Any) -> Ties:
        return Ties(subscription, key, frozenset({"x"}))

    patch.setattr(Ties, "of", of)


@fault("!q:[g = $x] FOR 1 s")
def silence_is_thought_to_be_that_of_one_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Proof, "visit", lambda _self, _node, left, **_: left)
    patch.setattr(units, "candidate_keys", lambda _: [{"one": "g"}])


@fault(f"{A} ; {B} LIMIT 2")
def limits_are_thought_to_be_per_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(key_policies, "_check_policies", _nothing)


@fault(f"{A} ; {B} PAIRS SEPARATE")
def separate_pairs_are_thought_to_be_per_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(key_policies, "_check_policies", _nothing)


@fault("a:[k = 'a'] ; b:[g = a.g] ; !c:[v = 1 AND g = a.g] FOR 1 s DUPLICATES FIRST")
def duplicates_at_a_deadline_are_thought_to_be_per_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(key_policies, "_check_policies", _nothing)


@fault(f"{A} , {B}")
def positions_are_not_told(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(needs, "counts_positions", lambda _: False)


@fault(f"{A} , {B}", unordered=True)
def unordered_neighbours_are_thought_to_have_positions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(key_policies, "_check_positions", _nothing)


@fault("x:[g = $x]", more=" EMIT $x AS g INTO m; SUBSCRIBE r FROM m MATCH a:[g = $y] , b:[g = $y]")
def derived_positions_are_thought_to_be_known(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(key_policies, "_check_positions", _nothing)


@fault(f"!q:[v = 1 AND g = $x] FOR 1 s ; {A}")
def the_start_is_not_told(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(needs, "looks_at_start", lambda _: False)


@fault(f"{A} ; !b:[k = 'b' AND g = $x] FOR 1 s")
def the_clock_is_not_told(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(needs, "waits_for_clock", lambda _: False)


@fault("a:[k = 'a'] ; !b:[k = 'b'] FOR 2 s")
def slices_forget_deadlines(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(by_time, "delay_of", lambda _: 0)


@fault("!b:[k = 'b'] FOR 2 s ; a:[k = 'a'] WITHIN 1 s")
def slices_forget_what_was_absent_before(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(by_time, "_before", lambda *_: 0)


@fault("!b:[k = 'b'] ; a:[k = 'a']")
def slices_forget_the_start(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(by_time, "_before", lambda *_: 0)


@fault("nth(2, a:[k = 'a'])")
def slices_count_from_their_begin(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(by_time, "_before", lambda *_: 0)


@fault("a:[k = 'a'] PAIRS SEPARATE LIMIT 2")
def slices_ignore_policies(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(by_time, "_check_policies", _nothing)


@fault("a:[TRUE] , b:[TRUE]")
def slices_are_one_event_too_short(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reach, "_sum", lambda bounds: len(bounds) - 1)


@fault("a:[TRUE] ; b:[TRUE] WITHIN 2 s")
def slices_are_too_short(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reach, "_least", lambda _known, limit: limit // 4)


@fault("!a:[k = 'a'] FOR 1 s EVERY 1 s")
def silence_is_thought_to_end(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(by_time, "_of_silence", lambda *_: Overlap(1_000_000))


@fault(
    "a:[TRUE] ; b:[TRUE] WITHIN 2 s",
    more=" EMIT 1 AS v INTO made; SUBSCRIBE r FROM made MATCH x:[v = 1] ; !y:[v = 2] FOR 2 s",
)
def derived_windows_are_not_added_up(patch: pytest.MonkeyPatch) -> None:
    def widest(_: Any, overlaps: dict[str, Overlap]) -> Overlap:
        return Overlap(max(one.span_us for one in overlaps.values()))

    patch.setattr(units, "overlap_of_unit", widest)


@fault("a:[k = 'a'] EMIT a.v AS v INTO made", more="; SUBSCRIBE r FROM made MATCH x:[v = 1]")
def who_reads_is_parted_from_who_derives(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(units, "_join", _nothing)


def _always(*_: Any, **__: Any) -> bool:
    return True


@fault(f"{A} {NEXT} {B} {NEXT} c:[v = 1]")
def chains_are_one_event_too_short(patch: pytest.MonkeyPatch) -> None:
    def shorter(*given: Any, **options: Any) -> int | None:
        found = key_reach_of(*given, **options)
        return None if found is None else found - 1

    patch.setattr(units, "key_reach_of", shorter)


@fault(f"{A} ->{{g = $x AND v = 1}} {B}")
def chains_are_thought_to_go_on_with_any_event_of_the_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Reach, "asks_for_key_alone", _always)


@fault(f"{A} -> b:[g = $x AND v = 1]")
def chains_forget_what_the_next_atom_asks_for(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Reach, "asks_for_key_alone", _always)


@fault(f"{A} ; {B}")
def all_joints_are_thought_to_chain(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Reach, "is_next", _always)


@fault(f"a:[g = $x]{{1,3}} BY {NEXT}")
def repetitions_of_chains_are_not_counted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Reach, "of_repeated", lambda self, node: self.of(node.part))


@fault(f"!q:[g = $x AND v = 1] ; {A} {NEXT} {B}")
def chains_forget_what_stands_before_them(patch: pytest.MonkeyPatch) -> None:
    real = _Reach.of_chain
    patch.setattr(_Reach, "of_chain", lambda self, one: real(self, replace(one, lead=None)))


@fault(f"{A} {NEXT} {B} LIMIT 1 PER $x")
def chains_ignore_policies(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(units, "key_reach_of", lambda *_, **__: 2)


@fault(f"{A} {NEXT} {B}", unordered=True)
def simultaneous_events_are_thought_to_chain(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(units, "key_reach_of", lambda *_, **__: 2)


@fault(
    f"a:[g = $x] {NEXT} {B}",
    more=f" EMIT $x AS g INTO made; SUBSCRIBE r FROM made MATCH a:[g = $x] {NEXT} {B}",
)
def derived_events_are_thought_to_chain(patch: pytest.MonkeyPatch) -> None:
    keyed = units.Judge._keyed

    def chained(self: Any, subscriptions: Any, key: Any) -> Choice:
        return replace(keyed(self, subscriptions, key), chain=2)

    patch.setattr(units.Judge, "_keyed", chained)


def _present(pattern: Normal) -> Iterator[Site]:
    leaves: Iterator[Leaf] = iter(present_leaves(pattern))
    return (Site(leaf.condition, leaf.alias, leaf.stream) for leaf in leaves)


@fault("a:[k = 'a' AND v = 1] ; ![k = 'b'] ; c:[k = 'a' AND v = 1]")
def events_that_forbid_are_dropped(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(needs, "sites_of", _present)


@fault("(a:[k = 'a']{2} BY ; UNTIL (k = 'b'))")
def events_that_end_an_iteration_are_dropped(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(needs, "sites_of", _present)


@fault("a:[k = 'a'] ->{v = 1} b:[k = 'b']")
def events_that_end_a_wait_are_dropped(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(needs, "sites_of", _present)


@fault("a:[k = 'a'] ; b:[k = 'b'] WHERE a.v = b.v")
def columns_of_clauses_are_dropped(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(needs, "columns_read", lambda *_: iter(["k"]))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, text, unordered = FAULTS[name]
    make(monkeypatch)
    find(dense_rows(), lambda stream: differs(text, stream, unordered=unordered), settings=SEARCH)


@pytest.mark.parametrize("name", FAULTS)
def test_without_the_fault_nothing_is_seen(name: str) -> None:
    _, text, unordered = FAULTS[name]
    few = settings(SEARCH, max_examples=30)
    with pytest.raises(NoSuchExample):
        find(dense_rows(), lambda stream: differs(text, stream, unordered=unordered), settings=few)
