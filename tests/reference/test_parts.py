"""A part of a stream, told positions and start of the whole, finds what the whole finds there."""

from __future__ import annotations

import pytest

from tocsin.language.live import LiveProgram
from tocsin.language.parser import parse
from tocsin.model.event import Event
from tocsin.model.values import Timestamp
from tocsin.reference import run
from tocsin.reference.timeline import Added
from tocsin.reference.whole import Whole

SECOND = 1_000_000


def found(pattern: str, kinds: str, *, start: int | None = 0) -> list[dict[str, tuple[int, ...]]]:
    """Return the matches over the events whose kind is shown; a dot is an event elsewhere."""
    live = LiveProgram(parse(f"SUBSCRIBE s FROM one MATCH {pattern}"))
    shown = [(row, kind) for row, kind in enumerate(kinds) if kind != "."]
    moments = [Timestamp(row * SECOND) for row in range(len(kinds))]
    events = [Event("one", row, moments[row], moments[row], {"k": kind}) for row, kind in shown]
    added = Added(live.normal(live.program.subscriptions), 0)
    whole = Whole({frozenset({"one"}): {row: row for row, _ in shown}}, start)
    return [dict(one.events) for one in run([added, *events], whole=whole)]


@pytest.mark.parametrize(
    ("pattern", "kinds", "wanted"),
    [
        ("a:[k = 'a'] , b:[k = 'b']", "ab", [{"a": (0,), "b": (1,)}]),
        ("a:[k = 'a'] , b:[k = 'b']", "a.b", []),
        ("a:[k = 'a'] -> b:[k = 'b']", "a.b", [{"a": (0,), "b": (2,)}]),
        ("a:[k = 'a']{2} BY ,", "a.aa", [{"a": (2, 3)}]),
        ("a:[k = 'a'] , ![k = 'c'] ; b:[k = 'b']", "acb", []),
        ("a:[k = 'a'] , ![k = 'c'] ; b:[k = 'b']", "a.cb", [{"a": (0,), "b": (3,)}]),
        ("a:[k = 'a'] ; b:[k = 'b'] WITHIN 3 EVENTS", "a.b", [{"a": (0,), "b": (2,)}]),
        ("a:[k = 'a'] ; b:[k = 'b'] WITHIN 3 EVENTS", "a..b", []),
        ("a:[k = 'a']{2} BY ; UNTIL (k = 'c')", "a..ca", []),
        ("a:[k = 'a']{2} BY ; UNTIL (k = 'c')", "c.a.a", [{"a": (2, 4)}]),
    ],
)
def test_positions_are_those_of_the_whole(
    pattern: str, kinds: str, wanted: list[dict[str, tuple[int, ...]]]
) -> None:
    assert found(pattern, kinds) == wanted


@pytest.mark.parametrize(("start", "count"), [(0, 1), (3 * SECOND, 0), (None, 0)])
def test_the_start_is_that_of_the_whole(start: int | None, count: int) -> None:
    assert len(found("!q:[k = 'b'] FOR 2 s ; a:[k = 'a']", "...a", start=start)) == count
