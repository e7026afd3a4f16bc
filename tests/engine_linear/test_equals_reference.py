"""Linear machines in kernels against the reference, in batches of any size."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tocsin
from tocsin.engine.columns import Vocabulary, batch_of_events
from tocsin.engine.linear import Found, LinearLane
from tocsin.language.live import LiveProgram
from tocsin.language.tree import Program, Subscription
from tocsin.model.event import Event
from tocsin.model.rows import Intake
from tocsin.plan.linear import NotLinearError, linear_form
from tocsin.testing.runnable import rows, runnable_programs

Rows = list[dict[str, Any]]
Matches = list[tuple[int, tuple[int, ...], int]]


def linear_part(program: Program) -> Program:
    """Return the program without what is not linear, and without policies, which come later."""
    live = LiveProgram(program)
    kept: list[Subscription] = []
    for tree, normal in zip(program.subscriptions, live.normal(program.subscriptions), strict=True):
        try:
            linear_form(normal)
        except NotLinearError:
            continue
        plain = dataclasses.replace(tree, duplicates="ALL", pairs="ALL", limit=None, emit=())
        kept.append(dataclasses.replace(plain, name=f"s{len(kept)}"))
    return Program((*program.definitions, *kept))


def by_lane(program: Program, stream: Rows, size: int) -> Matches:
    live = LiveProgram(program)
    lane = lane_of(program)
    intake = Intake({}, default_stream=live.default_stream)
    steps = [intake.accept(i, row) for i, row in enumerate(stream)]
    events = [step for step in steps if isinstance(step, Event)]
    found: Matches = []
    for begin in range(0, len(events), size):
        part = events[begin : begin + size]
        for result in process(lane, part):
            rows = result.rows()
            for i in range(result.size):
                taken = rows[result.first[i] : result.first[i + 1]]
                last = part[result.event[i]].row
                assert last is not None
                found.append((last, tuple(taken.tolist()), int(result.subscription[i])))
    return found


def lane_of(program: Program) -> LinearLane:
    lane = LinearLane(Vocabulary())
    for order, normal in enumerate(LiveProgram(program).normal(program.subscriptions)):
        assert lane.add(linear_form(normal), order=order) == order
    return lane


def process(lane: LinearLane, events: list[Event]) -> list[Found]:
    rows = np.array([event.row for event in events], np.int64)
    return lane.process(batch_of_events(events, lane.vocabulary), rows)


def by_reference(program: Program, stream: Rows) -> Matches:
    names = {s.name: i for i, s in enumerate(program.subscriptions)}
    return [
        (
            n.position or 0,
            tuple(sorted(row for taken in n.events.values() for row in taken if row is not None)),
            names[n.subscription],
        )
        for n in tocsin.match(stream, program, engine="reference")
    ]


@given(runnable_programs(max_subscriptions=3), rows(max_size=12), st.integers(1, 12))
def test_the_kernels_find_what_the_reference_finds(text: str, stream: Rows, size: int) -> None:
    program = linear_part(tocsin.parse(text))
    assume(program.subscriptions)
    assert by_lane(program, stream, size) == by_reference(program, stream)


INTRUSION = """
SUBSCRIBE i MATCH d1:[k = 'd' AND ip = $x] {link} d2:[k = 'd' AND ip = $x] {link}
    d3:[k = 'd' AND ip = $x] @ (t(d3) - t(d1) < 5 s) {link} s:[k = 's' AND ip = $x] WITHIN 9 s
"""


@pytest.mark.parametrize("link", [";", "->", ",", "->{ip = $x}"])
@given(stream=st.lists(st.tuples(st.sampled_from("ds"), st.integers(0, 1)), max_size=14))
def test_an_intrusion_is_found_by_its_address(link: str, stream: list[tuple[str, int]]) -> None:
    made = [{"ts": i * 700, "k": k, "ip": ip} for i, (k, ip) in enumerate(stream)]
    program = tocsin.parse(INTRUSION.replace("{link}", link))
    assert by_lane(program, made, 5) == by_reference(program, made)


def test_partial_matches_outside_their_window_are_let_go() -> None:
    """A hundred thousand events leave what the last two seconds opened, not more."""
    program = tocsin.parse(
        "SUBSCRIBE s MATCH a:[k = 'a' AND g = $x] ; b:[k = 'b' AND g = $x] WITHIN 2 s"
    )
    lane = lane_of(program)
    intake = Intake({}, default_stream="default")
    for begin in range(0, 100_000, 20_000):
        numbers = range(begin, begin + 20_000)
        steps = [intake.accept(i, {"ts": i * 100, "k": "a", "g": i % 7}) for i in numbers]
        process(lane, [step for step in steps if isinstance(step, Event)])
    lane.machine.sweep()
    assert lane.machine.live <= 21
    assert process(lane, []) == []
