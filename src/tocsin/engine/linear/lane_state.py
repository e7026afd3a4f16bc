"""The state of a lane by itself: what a snapshot holds, free of the numbers of one process.

Groups are named by a subscription that passes through them and the place of a move on its way,
attributes and strings by themselves, so that a lane with the same subscriptions can go on from it
whatever came and went before.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tocsin.engine.columns.kinds import STRING
from tocsin.engine.linear.arrays import (
    AFTER,
    FREE,
    KEPT,
    KEY_KIND,
    KIND,
    LINKS,
    LIVE,
    NEXT,
    NEXT_FIRST,
    NONE,
    OWNER,
    POSITION,
    REGISTER_BITS,
    REGISTER_KIND,
    USED,
    WAITS_IN,
    Instances,
    Int32Array,
    Int64Array,
    Kept,
    Links,
)
from tocsin.engine.linear.lane import LinearLane
from tocsin.engine.linear.registers import EMPTY
from tocsin.engine.linear.rooms import new_instances

GroupName: TypeAlias = tuple[int, int, bool]
"""The order of a subscription, a place on its way, and whether the loop there is meant."""


class LaneState(NamedTuple):
    """What a lane has to remember between events."""

    position: int
    now_us: int
    attributes: list[str]
    texts: list[str]
    groups: list[GroupName]
    counts: Any
    instances: list[Any]
    links: list[Any]
    kept: list[Any]
    registers: list[tuple[int, int, str]]
    made: list[tuple[int, int]]


def freeze_lane(lane: LinearLane) -> LaneState:
    """Return the state of a lane."""
    lane.refit()
    machine, counters = lane.machine, lane.machine.work.counters
    if machine.plan is not None:
        machine.forget()
    used, links_end, kept_end = (int(counters[place]) for place in (USED, LINKS, KEPT))
    live = np.flatnonzero(machine.instances.cells[:used, WAITS_IN] != NONE)
    instances: list[Any] = [
        machine.instances.cells[live, :3],
        machine.instances.key_bits[live],
    ]
    links = [array[:links_end].copy() for array in machine.links]
    kept = [array[:kept_end].copy() for array in machine.kept]
    counts = _counts(machine.instances)
    numbers = np.flatnonzero(counts.any(axis=1))
    instances[0][:, WAITS_IN] = np.searchsorted(numbers, instances[0][:, WAITS_IN])
    texts = _coded(lane, _string_cells(instances, links, kept))
    return LaneState(
        machine.position,
        machine.now_us,
        list(lane.vocabulary.attribute_names()[: kept[0].shape[1]]),
        texts,
        [_name(lane, int(number)) for number in numbers],
        [counts[numbers]],
        instances,
        links,
        kept,
        lane.guards.named_registers(),
        lane.made(),
    )


def thaw_lane(lane: LinearLane, state: LaneState) -> None:
    """Let a lane that has the subscriptions of a state go on from it."""
    lane.set_made(state.made)
    lane.refit()
    machine = lane.machine
    machine.work.counters[POSITION] = state.position
    machine.now_us = state.now_us
    if lane.size == 0:
        return
    numbers = _groups(lane, state.groups)
    instances = [array.copy() for array in state.instances]
    links = [array.copy() for array in state.links]
    kept = _with_attributes(lane, [array.copy() for array in state.kept], state.attributes)
    registers = [lane.guards.register(*one) for one in state.registers]
    lane.has_changed()
    lane.refit()
    links[2] = _with_registers(links[2], registers, len(lane.guards.named_registers()))
    for kinds, bits in _string_cells(instances, links, kept):
        codes = np.array([lane.vocabulary.code(text) for text in state.texts], np.int64)
        is_text = kinds == STRING
        bits[is_text] = codes[bits[is_text]]
    machine.links = Links._make(links)
    machine.kept = Kept._make(kept)
    machine.widen(lane.vocabulary.width)
    _put_instances(lane, numbers, instances)
    machine.work.counters[LINKS] = len(links[0])
    machine.work.counters[KEPT] = len(kept[2])
    _set_counts(lane, numbers, state.counts[0])
    lane.has_changed()  # so that what is awaited is counted anew


def _string_cells(instances: list[Any], links: list[Any], kept: list[Any]) -> list[tuple[Any, Any]]:
    """Return all kinds and bits: keys of instances, registers, events."""
    registers = links[2][:, :, REGISTER_KIND], links[2][:, :, REGISTER_BITS]
    return [(instances[0][:, KEY_KIND], instances[1]), registers, (kept[0], kept[1])]


def _coded(lane: LinearLane, cells: list[tuple[Any, Any]]) -> list[str]:
    """Give strings codes of their own, in place; return them."""
    every = [bits[kinds == STRING] for kinds, bits in cells]
    codes = np.unique(np.concatenate(every)) if every else np.zeros(0, np.int64)
    for kinds, bits in cells:
        is_text = kinds == STRING
        bits[is_text] = np.searchsorted(codes, bits[is_text])
    return [lane.vocabulary.text(code) for code in codes.tolist()]


def _counts(instances: Instances) -> Int32Array:
    """Return by group how many wait, were refused and dropped."""
    counts = np.zeros((len(instances.waiting), 3), np.int32)
    counts[:, 0] = instances.waiting
    counts[: len(instances.lost), 1:] = instances.lost[: len(counts)]
    return counts


def _set_counts(lane: LinearLane, numbers: Int32Array, counts: Int32Array) -> None:
    """Put the counts of groups back; what was apart once may be one group here."""
    machine = lane.machine
    machine.instances.waiting[:] = 0
    machine.instances.lost[:] = 0
    np.add.at(machine.instances.waiting, numbers, counts[:, 0])
    if counts[:, 1:].any():
        machine.make_lost()
        np.add.at(machine.instances.lost, numbers, counts[:, 1:])


def _name(lane: LinearLane, group: int) -> GroupName:
    moves, number = lane.store.moves, lane.store.through(group)[0]
    order = int(lane.order_of[number])
    for place, node in enumerate(_way(lane, number)):
        if moves["group"][node] == group:
            return order, place, False
        if moves["loop"][node] == group:
            return order, place, True
    msg = f"no move of subscription {order} waits in group {group}"
    raise AssertionError(msg)


def _groups(lane: LinearLane, names: list[GroupName]) -> Int32Array:
    """Return the numbers that groups have here."""
    every = lane.store.numbers()
    number_of = dict(zip(lane.order_of[every].tolist(), every.tolist(), strict=True))
    ways = {order: _way(lane, number_of[order]) for order, _, _ in names}
    moves = lane.store.moves
    found = [moves["loop" if loop else "group"][ways[order][place]] for order, place, loop in names]
    return np.array(found, np.int32)


def _way(lane: LinearLane, number: int) -> list[int]:
    """Return the nodes that a subscription passes, from each of its ends back to the start."""
    store, nodes = lane.store, []
    for end, _ in store.accepts_of_subscription.of(number).tolist():
        node = end
        while node != NONE:
            nodes.append(node)
            node = int(store.groups["node"][store.moves["group"][node]])
    return nodes


def _with_attributes(lane: LinearLane, kept: list[Any], names: list[str]) -> list[Any]:
    """Put the cells of events into the columns that their attributes have here."""
    places = [lane.vocabulary.attribute(name) for name in names]
    wide = []
    for array in kept[:2]:
        cells = np.zeros((len(array), lane.vocabulary.width), array.dtype)
        cells[:, places] = array
        wide.append(cells)
    return [*wide, *kept[2:]]


def _with_registers(registers: Any, places: list[int], width: int) -> Any:
    """Put registers into the places that they have here."""
    wide = np.zeros((len(registers), width, 3), np.int64)
    wide[:, :, REGISTER_KIND] = EMPTY
    wide[:, places] = registers
    return wide


def _put_instances(lane: LinearLane, numbers: Int32Array, instances: list[Any]) -> None:
    """Let instances wait again, each in its group."""
    machine, plan, count = lane.machine, lane.machine.plan, len(instances[1])
    assert plan is not None
    old = machine.instances
    fresh = new_instances(max(1024, 2 * count), buckets=1024)
    cells, bits = instances
    cells[:, WAITS_IN] = numbers[cells[:, WAITS_IN]]
    fresh.cells[:count, :3], fresh.key_bits[:count] = cells, bits
    group = cells[:, WAITS_IN]
    owners = plan.groups[group, OWNER]
    of_owner = np.zeros_like(old.live_of_owner)
    np.add.at(of_owner, owners[owners != NONE], 1)
    machine.instances = fresh._replace(waiting=old.waiting, lost=old.lost, live_of_owner=of_owner)
    counters = machine.work.counters
    counters[USED] = counters[LIVE] = count
    counters[FREE] = counters[NEXT_FIRST] = NONE
    following: Int64Array = np.flatnonzero(plan.groups[group, KIND] == NEXT)
    for instance in following.tolist():
        machine.instances.cells[instance, AFTER] = counters[NEXT_FIRST]
        counters[NEXT_FIRST] = instance
    machine.rehash()
