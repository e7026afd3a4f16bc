"""The state of the linear machines of one lane: arrays, which grow as they must."""

from __future__ import annotations

from typing import Final

import numpy as np

from tocsin.engine.index.hashing import sized
from tocsin.engine.linear.arrays import (
    FIRST_POSITION,
    IN_STEP,
    KEPT,
    LINK,
    LINKS,
    LIVE,
    MOST,
    NONE,
    OVER,
    POSITION,
    REGISTER_KIND,
    SINGLE_STEP,
    SWITCHES,
    TAKEN,
    USED,
    WAITS_IN,
    Guards,
    Int64Array,
    Kept,
    Links,
    Plan,
)
from tocsin.engine.linear.awaited import count_awaited
from tocsin.engine.linear.key_order import Arranged
from tocsin.engine.linear.marks import BITS
from tocsin.engine.linear.registers import EMPTY
from tocsin.engine.linear.rooms import (
    MUCH,
    OFTEN,
    ROOM,
    at_least,
    doubled,
    is_short,
    new_instances,
    new_kept,
    new_links,
    new_work,
)
from tocsin.engine.linear.upkeep import compact, rehash, sweep

BEFORE_US: Final = -(2**63)
"""Not after any time, those before 1970 included."""

NOT_AHEAD: Final = (0, 0, 0)
"""No key is further than the others: see `sweep`."""


class MachineState:
    """Instances, links and kept events of a lane, and the plan they run on.

    Parameters
    ----------
    switches
        Bits of indexes that are left out, and of how filters are evaluated.
    """

    def __init__(self, switches: int = 0) -> None:
        self.plan: Plan | None = None
        self.guards: Guards | None = None
        self.instances = new_instances(ROOM, buckets=ROOM)
        self.links = new_links(ROOM)
        self.kept = new_kept(ROOM, 3)
        self.work = new_work(ROOM, 3)
        self.work.counters[SWITCHES] = switches
        self.now_us = BEFORE_US
        self._ahead = NOT_AHEAD
        self._swept = 0  # the position at which room was made the last time

    @property
    def live(self) -> int:
        """How many partial matches wait."""
        return int(self.work.counters[LIVE])

    @property
    def position(self) -> int:
        """How many events have come."""
        return int(self.work.counters[POSITION])

    @property
    def nbytes(self) -> int:
        """The memory of its state."""
        parts = (*self.instances, *self.links, *self.kept, *self.work)
        return sum(int(array.nbytes) for array in parts)

    def counts_of(self, groups: list[int]) -> tuple[int, int, int]:
        """Return how many instances wait in groups, and how many were refused and dropped."""
        lost = self.instances.lost[[group for group in groups if group < len(self.instances.lost)]]
        refused, dropped = lost.sum(axis=0).tolist()
        return int(self.instances.waiting[groups].sum()), refused, dropped

    def make_lost(self) -> None:
        """Let there be counts of what groups have lost."""
        assert self.plan is not None
        lost = at_least(self.instances.lost, len(self.plan.groups))
        self.instances = self.instances._replace(lost=lost)

    def refit(self, plan: Plan, guards: Guards, *, filters: int) -> None:
        """Take over a plan that has changed."""
        self.plan, self.guards = plan, guards
        owners = len(plan.made)
        self.instances = self.instances._replace(
            waiting=at_least(self.instances.waiting, len(plan.groups)),
            live_of_owner=at_least(self.instances.live_of_owner, owners),
        )
        if self.work.counters[MOST] >= 0:
            self.make_lost()
        self.work = self.work._replace(marks=sized(self.work.marks, filters // BITS + 1, 0))
        if self.work.counters[SWITCHES] & SINGLE_STEP:
            self.work = self.work._replace(awaited=np.zeros(filters, np.int32))
            count_awaited(plan, self.instances.waiting, self.work.awaited)
        more = len(guards.registers) - self.links.registers.shape[1]
        if more > 0:
            registers = np.pad(self.links.registers, ((0, 0), (0, more), (0, 0)))
            registers[:, -more:, REGISTER_KIND] = EMPTY
            self.links = self.links._replace(registers=registers)

    def widen(self, width: int) -> None:
        """Make room for further attributes; the events kept so far do not have them."""
        more = width - self.kept.kind.shape[1]
        if more > 0:
            self.kept = self.kept._replace(
                kind=np.pad(self.kept.kind, ((0, 0), (0, more))),
                bits=np.pad(self.kept.bits, ((0, 0), (0, more))),
            )
        more = width - len(self.work.row_kind)
        if more > 0:
            self.work = self.work._replace(
                row_kind=np.pad(self.work.row_kind, (0, more)),
                row_bits=np.pad(self.work.row_bits, (0, more)),
            )

    def stand(self, by_key: Arranged, done: int) -> None:
        """Say how far events are done, where so many of them are that come key by key."""
        is_done = done == len(by_key.order)
        self.now_us, position = by_key.behind if is_done else by_key.before
        self.work.counters[POSITION] = position
        self._ahead = NOT_AHEAD if is_done else (int(by_key.bucket[done]), *by_key.behind)

    def sweep(self) -> None:
        """Let go of the partial matches whose window has passed when the last event came."""
        if self.plan is not None:
            sweep(self.now_us, self._ahead, self.plan, self.instances, self.links, self.work)

    def oldest(self) -> int | None:
        """Return the first position that a partial match holds, None where there is none."""
        cells = self.instances.cells[: int(self.work.counters[USED])]
        links = cells[cells[:, WAITS_IN] != NONE, LINK]
        return int(self.links.times[links, FIRST_POSITION].min()) if len(links) else None

    def kept_steps(self) -> Int64Array:
        """Return the steps of the events that are kept."""
        return self.kept.where[: int(self.work.counters[KEPT]), IN_STEP]

    def forget(self) -> None:
        """Forget what is over, and the links and events that nobody needs without it.

        What was drained keeps the old events, so they move into new arrays.
        """
        self.sweep()
        link_map = np.empty(len(self.links.cells), np.int32)
        kept_map = np.empty(len(self.kept.where), np.int32)
        old, self.kept = self.kept, Kept._make(map(np.empty_like, self.kept))
        compact(self.instances.cells, self.links, old, self.kept, self.work, link_map, kept_map)

    def make_room(self) -> None:
        """Forget what is over, then grow whatever is still more than half full."""
        self.forget()
        counters = self.work.counters
        taken = int(counters[TAKEN])
        is_early = self.position - self._swept < OFTEN
        self._swept = self.position
        if is_short(self.links.cells, int(counters[LINKS]) + taken, is_early=is_early):
            self.links = Links._make(doubled(array, taken) for array in self.links)
        if is_short(self.kept.where, int(counters[KEPT]) + 1, is_early=is_early):
            self.kept = Kept._make(doubled(array, 1) for array in self.kept)
        self._grow_work(taken, int(counters[OVER]))
        self._grow_instances(taken, is_early=is_early)

    def _grow_work(self, taken: int, over: int) -> None:
        work, plan = self.work, self.plan
        assert plan is not None
        accepts = plan.accepts_of_node.longest * taken
        if accepts > len(work.out) or len(work.out) < min(len(self.links.cells), MUCH):
            work = work._replace(out=doubled(work.out, accepts))
        if taken > len(work.taken):
            work = work._replace(taken=doubled(work.taken, taken))
        if over > len(work.over):
            work = work._replace(over=doubled(work.over, over))
        self.work = work

    def _grow_instances(self, taken: int, *, is_early: bool) -> None:
        assert self.plan is not None
        widest = self.plan.groups_of_node.longest + 1
        needed = int(self.work.counters[LIVE]) + taken * widest
        if is_short(self.instances.cells, needed, is_early=is_early):
            old = self.instances
            self.instances = old._replace(
                cells=doubled(old.cells, needed), key_bits=doubled(old.key_bits, needed)
            )
        if len(self.instances.cells) > 2 * len(self.instances.head_of_bucket):
            self.rehash()

    def rehash(self) -> None:
        """Spread the waiting instances over more buckets."""
        buckets = 1 << max(10, len(self.instances.cells).bit_length())
        heads = np.full(buckets, NONE, np.int32)
        self.instances = self.instances._replace(head_of_bucket=heads)
        rehash(self.plan, self.instances, self.work)
