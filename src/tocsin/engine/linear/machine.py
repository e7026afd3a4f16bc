"""The linear machines of one lane: events run through them, within limits."""

from __future__ import annotations

import numpy as np

from tocsin.engine.index.pools import Pools
from tocsin.engine.index.probe import IndexArrays
from tocsin.engine.linear.arrays import (
    FAULT,
    FIRST_POSITION,
    LINK,
    MOST,
    MOST_EACH,
    NONE,
    OUT,
    POSITION,
    REFUSES,
    SWITCHES,
    USED,
    WAITS_IN,
    Events,
    Int32Array,
    Int64Array,
)
from tocsin.engine.linear.found import Found, as_told
from tocsin.engine.linear.machine_state import MachineState
from tocsin.engine.linear.process import process
from tocsin.engine.linear.rooms import UNCOUNTED
from tocsin.engine.linear.single_step import process_single_step
from tocsin.engine.linear.upkeep import close_groups, close_oldest, trace_matches
from tocsin.model.values import INTEGER_MAX


class LinearMachine(MachineState):
    """Runs events over the state of a lane."""

    def pass_to(self, position: int) -> None:
        """Let events pass that nobody waits for, up to a position."""
        self.work.counters[POSITION] = position

    def emptied(self) -> LinearMachine:
        """Return a machine without state, in which as many events have come."""
        fresh = LinearMachine(int(self.work.counters[SWITCHES]))
        for place in (POSITION, MOST, MOST_EACH, REFUSES):
            fresh.work.counters[place] = self.work.counters[place]
        fresh.now_us = self.now_us
        return fresh

    def set_limits(self, total: int | None, each: int | None, *, refuses: bool) -> None:
        """Let there be so many instances, in all and of one subscription."""
        counters, is_limited = self.work.counters, total is not None or each is not None
        counters[MOST] = (INTEGER_MAX if total is None else total) if is_limited else -1
        counters[MOST_EACH] = INTEGER_MAX if each is None else each
        counters[REFUSES] = refuses
        if is_limited and self.plan is not None:
            self.make_lost()

    @property
    def is_limited(self) -> bool:
        """Whether there may be only so many instances."""
        return int(self.work.counters[MOST]) >= 0

    def run(
        self,
        begin: int,
        events: Events,
        satisfied: tuple[Int64Array, Int32Array],
        pools: Pools,
    ) -> int:
        """Run events from `begin` on until all are done, or one finds no room; return which."""
        done = process(
            begin, events, satisfied, self.plan, self.guards, self.instances, self.links,
            self.kept, self.work, pools,
        )  # fmt: skip
        return self._reached(int(done), events[1])

    def run_single_step(
        self,
        begin: int,
        events: Events,
        index: IndexArrays,
        room: Int32Array,
    ) -> int:
        """Do as `run` does, and let each event be asked only what somebody waits for."""
        done = process_single_step(
            begin, events, index, room, self.plan, self.guards, self.instances, self.links,
            self.kept, self.work,
        )  # fmt: skip
        return self._reached(int(done), events[1])

    def _reached(self, done: int, bits: Int64Array) -> int:
        last = min(done, len(bits) - 1)
        self.now_us = max(self.now_us, int(bits[last, 2]))
        return done

    def drain(self, rank: Int64Array) -> Found:
        """Take the complete matches out, in the order of notifications."""
        work, count = self.work, int(self.work.counters[OUT])
        first, cells = np.zeros(count + 1, np.int64), self.links.cells
        rows, leaves = np.zeros(0, np.int32), np.zeros(0, np.int32)
        total = trace_matches(cells, work.out, count, first, rows, leaves)
        rows, leaves = np.zeros(total, np.int32), np.zeros(total, np.int32)
        trace_matches(cells, work.out, count, first, rows, leaves)
        work.counters[OUT] = 0
        subscription, _, event = (column.copy() for column in work.out[:count].T)
        return as_told(Found(event, subscription, first, rows, leaves, self.kept), rank)

    def take_fault(self) -> int:
        """Return the group for which limits leave no room, NONE for none, and forget it."""
        fault = int(self.work.counters[FAULT])
        self.work.counters[FAULT] = NONE
        return fault

    def close_groups(self, groups: list[int]) -> None:
        """Close the instances of groups that are no more; the next `refit` sees what is awaited."""
        assert self.plan is not None
        waiting, lost = self.instances.waiting, self.instances.lost
        is_gone = np.zeros(len(waiting), np.bool_)
        is_gone[groups] = True
        if waiting[groups].any():
            # The lists of a plan that has changed since may not be read.
            work = self.work._replace(awaited=UNCOUNTED)
            close_groups(is_gone, self.plan, self.instances, work)
        waiting[groups] = 0
        lost[[group for group in groups if group < len(lost)]] = 0

    def is_full(self) -> bool:
        """Say whether there are as many instances in all as there may be."""
        return self.live >= int(self.work.counters[MOST])

    def excess(self) -> str:
        """Say in words which limit was reached."""
        if self.is_full():
            return f"there were {self.live} instances, and {self.live} are allowed"
        most = int(self.work.counters[MOST_EACH])
        return f"it had {most} instances, and {most} are allowed"

    def drop_oldest(self, groups: list[int] | None) -> None:
        """Close a tenth of the instances of groups (None: of all), those that began first."""
        assert self.plan is not None
        chosen = np.full(len(self.instances.waiting), groups is None)
        if groups is not None:
            chosen[groups] = True
        cells = self.instances.cells[: int(self.work.counters[USED])]
        of = cells[:, WAITS_IN]
        waiting = cells[(of != NONE) & chosen[of], LINK]
        begins = np.sort(self.links.times[waiting, FIRST_POSITION])
        closed = 0
        if len(begins):
            limit = int(begins[len(begins) // 10]) + 1
            closed = close_oldest(limit, chosen, self.plan, self.instances, self.links, self.work)
        if closed == 0:  # others have all the room: what comes now is refused
            self.work.counters[REFUSES] = 1
