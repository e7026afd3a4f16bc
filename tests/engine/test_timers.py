"""Deadlines leave with those who waited for them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine.timers import Timers

CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "remove", "pop"]), st.integers(0, 9), st.integers(0, 3)
    )
)


@given(CHANGES)
def test_what_is_popped_is_what_is_still_waited_for(changes: list[tuple[str, int, int]]) -> None:
    timers, known = Timers(), set[tuple[int, int]]()
    for change, deadline, who in changes:
        if change == "add":
            timers.add(deadline, who)
            known.add((deadline, who))
        elif change == "remove":
            timers.remove(who)
            known = {one for one in known if one[1] != who}
        else:
            due = min((one for one, _ in known if one <= deadline), default=None)
            wanted = None if due is None else (due, {w for d, w in known if d == due})
            assert timers.pop_until(deadline) == wanted
            known = {one for one in known if one[0] != due}
        assert len(timers) == len(known)
        assert timers.next_of(who) == min((d for d, w in known if w == who), default=None)


def test_a_dropped_deadline_is_nobodys() -> None:
    timers = Timers()
    timers.add(5, 1)
    timers.drop(5, 1)
    assert (timers.pop_until(9), timers.next_of(1), len(timers)) == (None, None, 0)


def test_who_comes_and_goes_leaves_nothing() -> None:
    timers = Timers()
    for who in range(1_000):
        timers.add(1_000 + who, who)
        timers.remove(who)
    assert len(timers._heap) < 100
