"""From linear forms to the arrays of a plan; equal prefixes of subscriptions become one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.linear.arrays import ANY, FIRST, GATED, NEXT, NONE, UNTIL, Plan
from tocsin.engine.linear.guards import GuardStore
from tocsin.language.tree import Expression, Limit
from tocsin.model.values import INTEGER_MAX
from tocsin.plan.linear import Linear, Move, Node

TakeFilter = Callable[[Expression, str | None], int]

_KINDS: Final = {",": NEXT, "->": FIRST, ";": ANY}


@dataclass(slots=True)
class _Group:
    kind: int
    gate: int = NONE
    gate_guard: int = NONE
    key: int = NONE
    until: int = NONE
    span_us: int = 0
    span_events: int = 0
    moves: list[_Edge] = field(default_factory=list)
    number: int = NONE


@dataclass(slots=True)
class _Edge:
    filter: int
    guard: int
    until: int
    leaf: int
    target: _State


@dataclass(slots=True)
class _State:
    guard: int = NONE
    loop: _Group | None = None
    groups: dict[tuple[object, ...], _Group] = field(default_factory=dict)
    accepts: list[tuple[int, int, int, int]] = field(default_factory=list)
    number: int = NONE


class PlanBuilder:
    """Merges the linear forms of many subscriptions into one plan."""

    def __init__(self, take_filter: TakeFilter, guards: GuardStore) -> None:
        self._take_filter = take_filter
        self._guards = guards
        self._root = _State()
        self._targets: dict[tuple[object, ...], _Edge] = {}

    def add(self, subscription: int, form: Linear) -> None:
        """Add the pattern of a subscription."""
        spans = _spans(form.limits)
        where = NONE
        if form.where is not None:
            where = self._guards.take((form.where.static, *form.where.dynamic))
        self._grow(self._root, form.start, (subscription, where, *spans))

    def _grow(self, state: _State, node: Node, accept: tuple[int, int, int, int]) -> None:
        if node.accepts:
            state.accepts.append(accept)
        if node.loop is not None:
            self._add_loop(state, node.loop, accept)
        for move, target in node.moves:
            edge = self._edge(state, move, target, accept)
            self._grow(edge.target, target, accept)

    def _edge(
        self, state: _State, move: Move, target: Node, accept: tuple[int, int, int, int]
    ) -> _Edge:
        group = self._group(state, move)
        group.span_us = max(group.span_us, accept[2])
        group.span_events = max(group.span_events, accept[3])
        guard = self._guards.take(tuple(c for g in target.guards for c in (g.static, *g.dynamic)))
        parts = (*self._parts(move, group), guard, target.loop)
        found = self._targets.get((id(group), parts))
        if found is None:
            found = _Edge(*self._parts(move, group), _State(guard))
            self._targets[id(group), parts] = found
            group.moves.append(found)
        return found

    def _parts(self, move: Move, group: _Group) -> tuple[int, int, int, int]:
        dynamic = move.test.dynamic
        if group.key != NONE and group.kind in {FIRST, ANY}:
            dynamic = tuple(c for c in dynamic if self._guards.take_key(c) != group.key)
        return (
            self._take_filter(move.test.static, move.stream),
            self._guards.take(dynamic),
            NONE if move.until is None else self._take_filter(move.until, None),
            move.leaf,
        )

    def _group(self, state: _State, move: Move) -> _Group:
        if move.link == "start":
            return state.groups.setdefault(("start",), _Group(NEXT))
        kind = GATED if move.gate is not None else _KINDS[move.link]
        key = self._key(move)
        apart = (move.test, move.stream) if kind == FIRST else ()
        name = (kind, key, move.gate, move.ends, *apart)
        if name not in state.groups:
            state.groups[name] = self._new_group(move, kind, key)
        return state.groups[name]

    def _new_group(self, move: Move, kind: int, key: int) -> _Group:
        group = _Group(kind, key=key)
        if move.gate is not None:
            dynamic = tuple(c for c in move.gate.dynamic if self._guards.take_key(c) != key)
            group.gate = self._take_filter(move.gate.static, None)
            group.gate_guard = self._guards.take(dynamic)
        if move.ends is not None:
            group.until = self._take_filter(move.ends, None)
        return group

    def _key(self, move: Move) -> int:
        """Instances that wait for an equal value are found by it; UNTIL must find all of them."""
        if move.link == "," or move.ends is not None:
            return NONE
        conditions = move.test.dynamic if move.gate is None else move.gate.dynamic
        keys = (self._guards.take_key(condition) for condition in conditions)
        return next((key for key in keys if key != NONE), NONE)

    def _add_loop(self, state: _State, move: Move, accept: tuple[int, int, int, int]) -> None:
        if state.loop is None:
            kind = GATED if move.gate is not None else _KINDS[move.link]
            state.loop = self._new_group(move, kind, self._key(move))
            state.loop.moves.append(_Edge(*self._parts(move, state.loop), state))
        state.loop.span_us = max(state.loop.span_us, accept[2])
        state.loop.span_events = max(state.loop.span_events, accept[3])

    def plan(self, filters: int) -> Plan:
        """Return the arrays; `filters` is the number of filters."""
        return _Writer(self._root, filters).write()


def _spans(limits: Iterable[Limit]) -> tuple[int, int]:
    us, events = INTEGER_MAX, INTEGER_MAX
    for limit in limits:
        assert isinstance(limit.amount, int), "templates are filled in before they run"
        if limit.unit == "time":
            us = min(us, limit.amount)
        else:
            events = min(events, limit.amount)
    return us, events


class _Writer:
    """Numbers states and groups and writes them down."""

    def __init__(self, root: _State, filters: int) -> None:
        self.filters = filters
        self.root = root
        self.states: list[_State] = []
        self.groups: list[_Group] = []
        self.edges: list[_Edge] = []
        self._number(root)

    def _number(self, root: _State) -> None:
        """Groups of one state stand together; loops stand behind all of them."""
        waiting = [root]
        while waiting:
            state = waiting.pop()
            state.number = len(self.states)
            self.states.append(state)
            for group in state.groups.values():
                waiting += [edge.target for edge in group.moves]
        for state in self.states:
            for group in () if state is self.root else state.groups.values():
                self._number_group(group)
        for state in self.states:
            if state.loop is not None:
                self._number_group(state.loop)

    def _number_group(self, group: _Group) -> None:
        group.number = len(self.groups)
        self.groups.append(group)
        self.edges += group.moves

    def write(self) -> Plan:
        start = self.root.groups.get(("start",), _Group(NEXT))
        first_start = len(self.edges)
        edges = [*self.edges, *start.moves]
        starts = [(edge.filter, first_start + i) for i, edge in enumerate(start.moves)]
        waits = self._waits()
        accepts = [accept for state in self.states for accept in state.accepts]
        columns = (
            _column(self.groups, "kind", np.uint8),
            _column(self.groups, "gate"),
            _column(self.groups, "gate_guard"),
            _column(self.groups, "key"),
            _column(self.groups, "span_us", np.int64),
            _column(self.groups, "span_events", np.int64),
            _offsets(len(group.moves) for group in self.groups),
            _column(edges, "filter"),
            _column(edges, "guard"),
            _column(edges, "until"),
            _column(edges, "leaf"),
            np.array([edge.target.number for edge in edges], np.int32),
            _column(self.states, "guard"),
            np.array([s.loop.number if s.loop else NONE for s in self.states], np.int32),
            _offsets(0 if s is self.root else len(s.groups) for s in self.states),
            _offsets(len(state.accepts) for state in self.states),
            *_accept_columns(accepts),
            *_by_filter([(f, m) for f, m in starts], self.filters),
            *_waits_by_filter(waits, self.filters),
        )
        return Plan._make(columns)

    def _waits(self) -> list[tuple[int, int, int]]:
        """Return (filter, group, move) for all that an event can do to waiting instances."""
        found, move = [], 0
        for group in self.groups:
            if group.until != NONE and group.kind != NEXT:
                found.append((group.until, group.number, UNTIL))
            if group.kind == GATED:
                found.append((group.gate, group.number, NONE))
            for edge in group.moves:
                if group.kind in {FIRST, ANY}:
                    found.append((edge.filter, group.number, move))
                move += 1
        return found


def _column(things: Iterable[object], name: str, dtype: npt.DTypeLike = np.int32) -> Any:
    return np.array([getattr(thing, name) for thing in things], dtype)


def _offsets(counts: Iterable[int]) -> npt.NDArray[np.int32]:
    return np.cumsum([0, *counts]).astype(np.int32)


def _accept_columns(accepts: list[tuple[int, int, int, int]]) -> list[Any]:
    columns = np.array(accepts, np.int64).reshape(-1, 4).T
    types = (np.int32, np.int32, np.int64, np.int64)
    return [column.astype(dtype) for column, dtype in zip(columns, types, strict=True)]


def _by_filter(
    pairs: list[tuple[int, int]], filters: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    columns = np.array(sorted(pairs), np.int32).reshape(-1, 2)
    return _first_of(columns[:, 0], filters), columns[:, 1].copy()


def _waits_by_filter(
    waits: list[tuple[int, int, int]], filters: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    columns = np.array(sorted(waits), np.int32).reshape(-1, 3)
    return _first_of(columns[:, 0], filters), columns[:, 1].copy(), columns[:, 2].copy()


def _first_of(numbers: npt.NDArray[np.int32], filters: int) -> npt.NDArray[np.int32]:
    """Return where each filter begins in a sorted column."""
    return np.searchsorted(numbers, np.arange(filters + 1)).astype(np.int32)
