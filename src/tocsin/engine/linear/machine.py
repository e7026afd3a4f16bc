"""The linear machines of one stream: their arrays, which grow as they must."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.index.pools import Pools
from tocsin.engine.linear.arrays import (
    COUNTERS,
    FREE,
    KEPT,
    LINKS,
    LIVE,
    NEXT_FIRST,
    NONE,
    OUT,
    OVER,
    TAKEN,
    USED,
    Guards,
    Instances,
    Int32Array,
    Int64Array,
    Kept,
    Links,
    Plan,
    UInt8Array,
    Work,
)
from tocsin.engine.linear.process import compact, process, rehash, sweep, trace_matches

_ROOM = 1 << 16


class Found(NamedTuple):
    """Complete matches, in the order in which the kernel found them.

    The events of match i are those from `first[i]` to `first[i + 1]`, oldest first.
    """

    event: Int32Array
    subscription: Int32Array
    first: Int64Array
    row: Int64Array
    leaf: Int32Array

    @property
    def size(self) -> int:
        """How many matches there are."""
        return len(self.event)


class LinearMachine:
    """Runs a plan over batches.

    Parameters
    ----------
    plan, guards
        What to run.
    filters
        The number of filters.
    width
        The number of attributes of a row, slots of references included.
    """

    def __init__(self, plan: Plan, guards: Guards, *, filters: int, width: int) -> None:
        self.plan, self.guards = plan, guards
        groups = len(plan.kind_of_group)
        self.instances = _instances(_ROOM, groups, buckets=_power_of_two(groups))
        self.links = _links(_ROOM)
        self.kept = _kept(_ROOM, width)
        self.work = _work(_ROOM, filters, width)
        self._now_us = 0

    @property
    def live(self) -> int:
        """How many partial matches wait."""
        return int(self.work.counters[LIVE])

    def widen(self, width: int) -> None:
        """Make room for further attributes; the events kept so far do not have them."""
        more = width - self.kept.kind.shape[1]
        if more <= 0:
            return
        self.kept = self.kept._replace(
            kind=np.pad(self.kept.kind, ((0, 0), (0, more))),
            bits=np.pad(self.kept.bits, ((0, 0), (0, more))),
        )
        self.work = self.work._replace(
            row_kind=np.pad(self.work.row_kind, (0, more)),
            row_bits=np.pad(self.work.row_bits, (0, more)),
        )

    def process(
        self,
        kinds: UInt8Array,
        bits: Int64Array,
        rows: Int64Array,
        satisfied: tuple[Int64Array, Int32Array],
        pools: Pools,
    ) -> Found:
        """Run the events of a batch and return what they completed."""
        parts: list[Found] = []
        done = 0
        while done < len(kinds):
            done = process(
                done, (kinds, bits, rows), satisfied, self.plan, self.guards, self.instances,
                self.links, self.kept, self.work, pools,
            )  # fmt: skip
            parts.append(self._drain())
            if done < len(kinds):
                self._now_us = int(bits[done, 2])
                self._make_room()
        if len(kinds) > 0:
            self._now_us = int(bits[-1, 2])
        return _joined(parts or [self._drain()])

    def sweep(self) -> None:
        """Let go of the partial matches whose window has passed when the last event came."""
        sweep(self._now_us, self.plan, self.instances, self.links, self.work)

    def _drain(self) -> Found:
        """Take the complete matches out; their links may be forgotten afterwards."""
        work, count = self.work, int(self.work.counters[OUT])
        lengths = np.zeros(count, np.int64)
        rows, leaves = np.zeros(0, np.int64), np.zeros(0, np.int32)
        total = trace_matches(self.links, self.kept, work.out_link, count, lengths, rows, leaves)
        rows, leaves = np.zeros(total, np.int64), np.zeros(total, np.int32)
        trace_matches(self.links, self.kept, work.out_link, count, lengths, rows, leaves)
        work.counters[OUT] = 0
        first = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        return Found(
            work.out_event[:count].copy(), work.out_subscription[:count].copy(), first, rows, leaves
        )

    def _make_room(self) -> None:
        """Forget what is over, then grow whatever is still more than half full."""
        counters = self.work.counters
        self.sweep()
        link_map = np.empty(len(self.links.parent), np.int32)
        kept_map = np.empty(len(self.kept.position), np.int32)
        compact(self.instances, self.links, self.kept, self.work, link_map, kept_map)
        taken = int(counters[TAKEN])
        if 2 * (counters[LINKS] + taken) > len(self.links.parent):
            self.links = Links._make(_grown(array, taken) for array in self.links)
        if 2 * counters[KEPT] > len(self.kept.position):
            self.kept = Kept._make(_grown(array, 1) for array in self.kept)
        self._grow_work(taken, int(counters[OVER]))
        self._grow_instances(taken)

    def _grow_work(self, taken: int, over: int) -> None:
        work = self.work
        accepts = int(np.diff(self.plan.first_accept_of_node).max(initial=0)) * taken
        if accepts > len(work.out_link):
            outs = ("out_subscription", "out_link", "out_event")
            work = work._replace(**{name: _grown(getattr(work, name), accepts) for name in outs})
        if taken > len(work.taken_move):
            names = ("taken_instance", "taken_move")
            work = work._replace(**{name: _grown(getattr(work, name), taken) for name in names})
        if over > len(work.over):
            work = work._replace(over=_grown(work.over, over))
        self.work = work

    def _grow_instances(self, taken: int) -> None:
        widest = int(np.diff(self.plan.first_group_of_node).max(initial=0)) + 1
        needed = int(self.work.counters[LIVE]) + taken * widest
        if 2 * needed > len(self.instances.group):
            old = self.instances
            grown = [_grown(array, needed) for array in old[:6]]
            self.instances = Instances._make([*grown, old.head_of_bucket, old.live_in_group])
        if len(self.instances.group) > 2 * len(self.instances.head_of_bucket):
            self._rehash()

    def _rehash(self) -> None:
        """Spread the waiting instances over more buckets."""
        buckets = _power_of_two(len(self.instances.group))
        heads = np.full(buckets, NONE, np.int32)
        self.instances = self.instances._replace(head_of_bucket=heads)
        rehash(self.plan, self.instances, self.work)


def _power_of_two(least: int) -> int:
    return 1 << max(10, int(least).bit_length())


def _grown(array: npt.NDArray[Any], more: int) -> Any:
    size = max(2 * len(array), len(array) + 2 * more)
    grown = np.zeros((size, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _instances(size: int, groups: int, buckets: int) -> Instances:
    return Instances(
        group=np.full(size, NONE, np.int32),
        link=np.zeros(size, np.int32),
        key_kind=np.zeros(size, np.uint8),
        key_bits=np.zeros(size, np.int64),
        next=np.zeros(size, np.int32),
        before=np.zeros(size, np.int32),
        head_of_bucket=np.full(buckets, NONE, np.int32),
        live_in_group=np.zeros(groups, np.int32),
    )


def _links(size: int) -> Links:
    return Links(
        parent=np.zeros(size, np.int32),
        kept=np.zeros(size, np.int32),
        leaf=np.zeros(size, np.int32),
        begin_us=np.zeros(size, np.int64),
        end_us=np.zeros(size, np.int64),
        first_position=np.zeros(size, np.int64),
    )


def _kept(size: int, width: int) -> Kept:
    return Kept(
        np.zeros((size, width), np.uint8),
        np.zeros((size, width), np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
    )


def _work(size: int, filters: int, width: int) -> Work:
    counters = np.zeros(COUNTERS, np.int64)
    counters[[FREE, NEXT_FIRST]] = NONE
    counters[USED] = 0
    return Work(
        taken_instance=np.zeros(size, np.int32),
        taken_move=np.zeros(size, np.int32),
        over=np.zeros(size, np.int32),
        stamp=np.full(filters, NONE, np.int64),
        row_kind=np.zeros(width, np.uint8),
        row_bits=np.zeros(width, np.int64),
        out_subscription=np.zeros(size, np.int32),
        out_link=np.zeros(size, np.int32),
        out_event=np.zeros(size, np.int32),
        counters=counters,
    )


def _joined(parts: list[Found]) -> Found:
    firsts, total = [np.zeros(1, np.int64)], 0
    for part in parts:
        firsts.append(part.first[1:] + total)
        total += int(part.first[-1])
    return Found(
        np.concatenate([part.event for part in parts]),
        np.concatenate([part.subscription for part in parts]),
        np.concatenate(firsts),
        np.concatenate([part.row for part in parts]),
        np.concatenate([part.leaf for part in parts]),
    )
