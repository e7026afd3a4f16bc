"""Recipes: linear forms in numbers, for one subscription or for many that differ in values only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Final, Protocol, TypeAlias

import numpy as np

from tocsin.engine.linear.arrays import ANY, FIRST, GATED, NEXT, NONE, Int64Array
from tocsin.language.tree import And, Expression, Limit
from tocsin.model.values import INTEGER_MAX
from tocsin.plan.linear import Linear, Move, Node, Test
from tocsin.plan.predicates.split import conjuncts

Column: TypeAlias = "int | Int64Array"
"""A number for each subscription, or one for all of them."""

START: Final = 4
"""The kind of the group that opens matches; beside NEXT, FIRST, GATED and ANY."""

_KINDS: Final = {",": NEXT, "->": FIRST, ";": ANY, "start": START}


class Numbering(Protocol):
    """Gives filters, guards and keys their numbers; each filter and guard counts one use more."""

    def filter(self, condition: Expression, stream: str | None) -> Column:
        """Return the number of a static condition."""
        ...

    def guard(self, conditions: tuple[Expression, ...]) -> Column:
        """Return the number of conditions that look at the match; NONE for none."""
        ...

    def key(self, condition: Expression) -> int:
        """Return the key that a condition makes, NONE where it makes none."""
        ...

    def span(self, limits: tuple[Limit, ...], unit: str) -> Column:
        """Return the least of the limits of a unit."""
        ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a group is: how its instances wait, and what ends their waiting."""

    kind: int
    gate: Column = NONE
    gate_guard: Column = NONE
    key: int = NONE
    ends: tuple[tuple[Column, Column], ...] = ()


@dataclass(frozen=True, slots=True)
class Taking:
    """What a move is: filter, guard, what must not hold, and the atom."""

    filter: Column
    guard: Column
    until: Column
    leaf: int


@dataclass(frozen=True, slots=True)
class Op:
    """A move of a recipe and the node it leads to; `parent` is the op it follows, or NONE.

    `node_guard` is a guard, or a filter as -2 - filter.
    """

    parent: int
    waiting: Waiting
    taking: Taking
    node_guard: Column
    loop: tuple[Waiting, Taking] | None
    accepts: bool

    @property
    def loops_where_it_waits(self) -> bool:
        """Whether one more repetition is awaited exactly as the first one was."""
        return self.loop is not None and _are_equal(self.loop, (self.waiting, self.taking))


@dataclass(frozen=True, slots=True)
class Recipe:
    """All moves of a pattern, each behind the one it follows, and what every match must keep."""

    ops: tuple[Op, ...]
    where: Column
    span_us: Column
    span_events: Column


def _are_equal(one: object, other: object) -> bool:
    """Compare columns and what consists of them."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(np.asarray(one), np.asarray(other))
    if is_dataclass(one) and type(one) is type(other):
        names = [field.name for field in fields(one)]
        return all(_are_equal(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_are_equal, one, other))
    return one == other


def recipe_of(form: Linear, numbering: Numbering, *, by_key: bool = True) -> Recipe:
    """Return the recipe of a linear form.

    Parameters
    ----------
    numbering
        What gives filters and guards their numbers.
    by_key
        Whether instances that wait for an equal value are found by it.
    """
    writer = _Writer(numbering, by_key=by_key)
    writer.write(form.start, NONE)
    where: Column = NONE
    if form.where is not None:
        where = numbering.guard((form.where.static, *form.where.dynamic))
    spans = (numbering.span(form.limits, unit) for unit in ("time", "events"))
    return Recipe(tuple(writer.ops), where, *spans)


def least_span(limits: Iterable[Limit], unit: str) -> int:
    """Return the least of the limits of a unit, as good as endless where there is none."""
    amounts = [limit.amount for limit in limits if limit.unit == unit]
    assert all(isinstance(amount, int) for amount in amounts), "templates are filled in by column"
    return min((amount for amount in amounts if isinstance(amount, int)), default=INTEGER_MAX)


class _Writer:
    def __init__(self, numbering: Numbering, *, by_key: bool) -> None:
        self.numbering = numbering
        self.by_key = by_key
        self.ops: list[Op] = []

    def write(self, node: Node, parent: int) -> None:
        """Write the moves of a node and all that follows them."""
        for move, target in node.moves:
            op = self._op(move, target, parent)
            self.ops.append(op)
            self.write(target, len(self.ops) - 1)

    def _op(self, move: Move, target: Node, parent: int) -> Op:
        loop = None if target.loop is None else self._move(target.loop)
        waiting, taking = self._move(move)
        guard = self._node_guard(move, target)
        return Op(parent, waiting, taking, guard, loop, target.accepts)

    def _node_guard(self, move: Move, target: Node) -> Column:
        """What the last event decides alone is a filter, so that the index answers it.

        The event satisfies its atom anyway; with that, fewer events are candidates.
        """
        tests = target.guards
        if not tests or any(test.dynamic for test in tests):
            conditions = tuple(c for test in tests for c in (test.static, *test.dynamic))
            return self.numbering.guard(conditions)
        whole = And((*_always_taken(move, target), *(test.static for test in tests)))
        return -2 - self.numbering.filter(whole, move.stream)

    def _move(self, move: Move) -> tuple[Waiting, Taking]:
        kind = GATED if move.gate is not None else _KINDS[move.link]
        key = self._key(move, kind)
        taking = Taking(
            self.numbering.filter(move.test.static, move.stream),
            self.numbering.guard(self._without_key(move.test.dynamic, key)),
            NONE if move.until is None else self.numbering.filter(move.until, None),
            move.leaf,
        )
        return self._waiting(move, kind, key), taking

    def _waiting(self, move: Move, kind: int, key: int) -> Waiting:
        gate: Column = NONE
        gate_guard: Column = NONE
        if move.gate is not None:
            gate = self.numbering.filter(move.gate.static, None)
            gate_guard = self.numbering.guard(self._without_key(move.gate.dynamic, key))
        ends: list[tuple[Column, Column]] = []
        if kind not in {NEXT, START}:
            if move.ends is not None:
                ends.append((self.numbering.filter(move.ends, None), NONE))
            ends += [self._absent(test, stream, key) for test, stream in move.absent]
        return Waiting(kind, gate, gate_guard, key, tuple(ends))

    def _absent(self, test: Test, stream: str | None, key: int) -> tuple[Column, Column]:
        guard = self.numbering.guard(self._without_key(test.dynamic, key))
        return self.numbering.filter(test.static, stream), guard

    def _without_key(self, conditions: tuple[Expression, ...], key: int) -> tuple[Expression, ...]:
        if key == NONE:
            return conditions
        return tuple(c for c in conditions if self.numbering.key(c) != key)

    def _key(self, move: Move, kind: int) -> int:
        """Instances that wait for an equal value are found by it, if by all that looks for them."""
        if not self.by_key or kind in {NEXT, START} or move.ends is not None:
            return NONE
        wanted = move.test if move.gate is None else move.gate
        for condition in wanted.dynamic:
            key = self.numbering.key(condition)
            if key != NONE and all(self._has_key(test, key) for test, _ in move.absent):
                return key
        return NONE

    def _has_key(self, test: Test, key: int) -> bool:
        return any(self.numbering.key(condition) == key for condition in test.dynamic)


def _always_taken(move: Move, target: Node) -> tuple[Expression, ...]:
    """Return what every event satisfies that leads to a node; a loop may ask for less."""
    parts = conjuncts(move.test.static)
    if target.loop is None:
        return tuple(parts)
    again = conjuncts(target.loop.test.static)
    return tuple(part for part in parts if part in again)
