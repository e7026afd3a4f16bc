"""Groups that must have been absent: found from the start on, they are found as if sought anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.comparing import Rows, assert_equal, expected, with_snapshots

import tocsin
from tocsin.engine.machines import build
from tocsin.engine.machines.machine import Part, Reach
from tocsin.engine.machines.retention import reach_of_past, retention_of
from tocsin.engine.machines.static import no_filters
from tocsin.engine.machines.world import KEEP_ALL
from tocsin.language.live import LiveProgram
from tocsin.language.normal import Silence
from tocsin.testing.runnable import rows

Draw = Callable[[st.SearchStrategy[Any]], Any]
often = settings(max_examples=max(90, settings.default.max_examples))

_KINDS = st.sampled_from(["k = 'a'", "k = 'b'", "k = 'c'", "v > 2", "k != 'a'"])
_JOINS = st.sampled_from(["", "", " AND g = $x", " AND v = $y"])


@st.composite
def groups(draw: Draw) -> str:
    """Return a group of atoms, which may look at one another."""
    first = f"p:[{draw(_KINDS)}{draw(_JOINS)}]"
    second = f"q:[{draw(_KINDS)}{draw(_JOINS)}{draw(st.sampled_from(['', '', ' AND v > p.v']))}]"
    group = draw(
        st.sampled_from(
            [
                f"({first} ; {second})",
                f"({first} , {second})",
                f"({first} -> {second})",
                f"({first} & {second})",
                f"({first} | {second})",
                f"({first} ; {second} WITHIN 2 s)",
                f"({first} -> {second} WITHIN 3 EVENTS)",
                f"({first} ; !r:[k = 'd'] ; {second})",
                f"(({first} ; {second}) @ (duration() < 2 s))",
                f"({first}? ; {second})",
                f"({first}{{2}})",
                f"nth(2, {first})",
            ]
        )
    )
    return str(group)


@st.composite
def looking_back(draw: Draw) -> str:
    """Return a subscription with such a group before, in the middle, or as a silence."""
    group = draw(groups())
    atoms = [f"{alias}:[{draw(_KINDS)}{draw(_JOINS)}]" for alias in "st"]
    pattern = draw(
        st.sampled_from(
            [
                f"!{group} ; {atoms[0]}",
                f"!{group} ; {atoms[0]} ; {atoms[1]}",
                f"!{group} FOR 2 s ; {atoms[0]}",
                f"!{group} FOR 1 s ; ({atoms[0]} & {atoms[1]})",
                f"{atoms[0]}? ; !{group} ; {atoms[1]}",
                f"{atoms[0]} ; (!{group} ; {atoms[1]})",
                f"!{group} FOR 2 s",
            ]
        )
    )
    window = draw(st.sampled_from(["", "", " WITHIN 2 s", " WITHIN 4 s", " WITHIN 4 EVENTS"]))
    return f"SUBSCRIBE s MATCH {pattern}{window}"


def _is_accepted(text: str) -> bool:
    try:
        tocsin.check(tocsin.parse(text))
    except tocsin.LanguageError:
        return False
    return True


@often
@given(
    looking_back().filter(_is_accepted),
    rows(max_size=12),
    st.sampled_from(["ordered", "unordered"]),
    st.sets(st.integers(0, 12), max_size=3),
)
def test_what_must_have_been_absent(text: str, stream: Rows, order: str, cuts: set[int]) -> None:
    wanted = expected(text, stream, simultaneous=order)
    assert_equal(with_snapshots(text, stream, cuts, simultaneous=order), wanted)


TRICKY = [
    "!(p:[k = 'a'] -> q:[g = $x]) ; s:[k = 'c' AND g = $x]",
    "!(p:[k = 'a'] ; q:[g = $x]) ; s:[k = 'c' AND g = $x]",
    "!(p:[k = 'a' AND g = $x] , q:[g = $x]) ; s:[g = $x AND v > 2]",
    "!(p:[k = 'a'] ; q:[k = 'b']) FOR 2 s ; s:[k = 'c']",
    "!(p:[k = 'a'] ; q:[v > p.v]) FOR 1 s ; s:[k = 'c']",
    "!(p:[g = $x] ; q:[g = $x]) FOR 2 s ; s:[g = $x AND v > 2] WITHIN 2 s",
    "!p:[k = 'a' AND g = $x] FOR 1 s ; (s:[k = 'b'] ; t:[g = $x]) WITHIN 3 s",
    "!p:[k = 'a'] FOR 1 s ; (s:[k = 'b'] & t:[k = 'c']) WITHIN 3 s",
    "!p:[k = 'a' AND v = $y] FOR 2 s ; s:[k = 'b'] WITHIN 1 s",
    "s:[k = 'a'] ; (!(p:[k = 'b'] ; q:[k = 'c']) ; t:[v > s.v])",
    "s:[k = 'a']? ; !(p:[k = 'b'] ; q:[k = 'c']) ; t:[v > 2]",
    "!(p:[k = 'a' AND v = $y] -> q:[g = $x] WITHIN 2 s) FOR 1 s",
    "!(p:[k = 'a'] -> q:[g = $x] WITHIN 3 EVENTS) FOR 2 s",
    "!(p:[k = 'a'] -> q:[g = $x] WITHIN 2 s) FOR 1 s EVERY 1 s",
    "!(p:[v = $y] ; q:[g = $x]) FOR 1 s",
    "!((p:[k = 'a'] ; q:[g = $x]) @ (duration() >= 0 s) WITHIN 2 s) FOR 1 s",
    "!((p:[k = 'a'] ; q:[g = $x]) @ (duration() >= 0 s) WITHIN 4 EVENTS) FOR 1 s",
    "!(p:[g = $x]? ; q:[k = 'b' AND v = $y]) FOR 1 s",
]


@pytest.mark.parametrize("pattern", TRICKY)
@settings(max_examples=max(40, settings.default.max_examples // 4))
@given(rows(max_size=14), st.sampled_from(["ordered", "unordered"]), st.integers(0, 14))
def test_what_each_who_looks_back_may_see_differently(
    pattern: str, stream: Rows, order: str, cut: int
) -> None:
    text = f"SUBSCRIBE s MATCH {pattern}"
    wanted = expected(text, stream, simultaneous=order)
    assert_equal(with_snapshots(text, stream, {cut}, simultaneous=order), wanted)


RETENTION: dict[str, int | None] = {
    "!(p:[k = 'a'] ; q:[v > p.v]) ; r:[k = 'c']": None,
    "!(p:[k = 'a'] -> q:[k = 'b']) FOR 1 s ; r:[k = 'c']": None,
    "!(p:[g = $x] ; q:[g = $x]) ; r:[g = $x]": None,
    "!(p:[g = $x] -> q:[g = $x]) ; r:[g = $x]": KEEP_ALL,
    "!((p:[k = 'a'] ; q:[k = 'b']) @ (duration() < 2 s)) ; r:[k = 'c']": KEEP_ALL,
    "!(p:[g = $x] -> q:[g = $x]) FOR 1 s ; r:[g = $x] WITHIN 2 s": 3_000_000,
}


@pytest.mark.parametrize("pattern", RETENTION)
def test_events_are_kept_only_where_each_has_to_look_back(pattern: str) -> None:
    program = tocsin.parse(f"SUBSCRIBE s MATCH {pattern}")
    statics = _statics(program)
    assert retention_of(statics, program.subscriptions[0].within) == RETENTION[pattern]


PAST = {
    "!(p:[g = $x] -> q:[g = $x] WITHIN 2 s) FOR 1 s": Reach(span_us=2_000_000),
    "!(p:[g = $x] -> q:[g = $x] WITHIN 3 EVENTS) FOR 1 s": Reach(events=3),
    "!(p:[g = $x] -> q:[g = $x]) FOR 1 s": Reach(),
    "!(nth(2, p:[g = $x]) WITHIN 2 s) FOR 1 s": Reach(),
}


@pytest.mark.parametrize("pattern", PAST)
def test_a_silence_looks_as_far_back_as_what_is_absent_may_reach(pattern: str) -> None:
    assert reach_of_past(_statics(tocsin.parse(f"SUBSCRIBE s MATCH {pattern}"))) == PAST[pattern]


def _statics(program: tocsin.Program) -> tuple[Any, ...]:
    (normal,) = LiveProgram(program).normal(program.subscriptions)
    within = None if isinstance(normal.pattern, Silence) else normal.tree.within
    statics = build(normal.pattern, within, no_filters())
    assert isinstance(statics[-1], Part)
    return statics
