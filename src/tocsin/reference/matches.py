"""The matches of a pattern over a finite stream (design, section 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from tocsin.language.normal import (
    Both,
    Bounded,
    Chain,
    Counted,
    Either,
    Guard,
    Leaf,
    Normal,
    Repeated,
    Silence,
    can_be_empty,
    openings,
)
from tocsin.language.tree import Limit
from tocsin.model.values import Value, join_key, same_value
from tocsin.reference import sequences
from tocsin.reference.context import Context, Match, Taken, joined
from tocsin.reference.evaluate import View, holds
from tocsin.reference.world import World, opens


def matches(world: World, node: Normal, context: Context) -> Iterator[Match]:
    """Yield the matches of a part, given what stands to its left; the empty match is never one."""
    match node:
        case Leaf():
            return _of_leaf(world, node, context)
        case Chain():
            return sequences.of_chain(world, node, context)
        case Repeated(by=None):
            return _of_unordered_repeat(world, node, context)
        case Repeated():
            return sequences.of_iteration(world, node, context)
        case Guard():
            return _of_guard(world, node, context)
        case Bounded():
            found = matches(world, node.part, context)
            return (match for match in found if is_within(match, node.limit))
        case Counted():
            return _of_counted(world, node, context)
        case Both():
            return _of_both(world, node, context)
        case Either():
            return _of_either(world, node, context)
        case Silence():
            msg = "silence is a whole pattern; `silence.silences` finds it"
            raise TypeError(msg)


def distinct(found: Iterable[Match]) -> list[Match]:
    """Return each match once: the meaning of a pattern is a set."""
    return list({match.identity(): match for match in found}.values())


def _of_leaf(world: World, leaf: Leaf, context: Context) -> Iterator[Match]:
    for placed in world.following(context):
        variables = opens(leaf, placed, context)
        if variables is not None:
            yield Match((Taken(leaf, placed),), variables, None, (leaf,))


def _of_guard(world: World, node: Guard, context: Context) -> Iterator[Match]:
    for match in matches(world, node.part, context):
        if holds(node.condition, View(context.extended(match))):
            yield match


def is_within(match: Match, limit: Limit) -> bool:
    """`WITHIN T`: end - begin <= T; `WITHIN n EVENTS`: last - first < n."""
    assert isinstance(limit.amount, int), "templates are filled in before they run"
    if limit.unit == "time":
        return match.end - match.begin <= limit.amount
    return match.last.position - match.first.position < limit.amount


def _of_counted(world: World, node: Counted, context: Context) -> Iterator[Match]:
    """`nth(i, p)`: per value of its variables, in order of completion, ties by positions."""
    counts: dict[object, int] = {}
    found = [
        (completion, positions_of(match), match)
        for match in distinct(matches(world, node.part, context))
        if (completion := world.completion(match)) is not None
    ]
    for _, _, match in sorted(found, key=lambda item: item[:2]):
        bound = [name for name in node.variables if name in match.variables]
        group = tuple((name, join_key(match.variables[name])) for name in bound)
        counts[group] = counts.get(group, 0) + 1
        if counts[group] == node.index:
            yield match


def positions_of(match: Match) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The order of matches that complete together: positions, then atoms as in the text."""
    events = sorted((taken.placed.position, taken.leaf.number) for taken in match.taken)
    return tuple(p for p, _ in events), tuple(n for _, n in events)


def _of_both(world: World, node: Both, context: Context) -> Iterator[Match]:
    """`p & q`: all unions that share no event and agree on every variable."""
    choices: list[list[Match | None]] = []
    for part in node.parts:
        found: list[Match | None] = list(matches(world, part, context))
        choices.append([*found, None] if can_be_empty(part) else found)
    for combination in product(*choices):
        present = tuple(match for match in combination if match is not None)
        if present and _disjoint(present) and agree(present):
            yield joined(present, openings(node))


def _disjoint(parts: tuple[Match, ...]) -> bool:
    positions = [taken.placed.position for part in parts for taken in part.taken]
    return len(positions) == len(set(positions))


def agree(parts: tuple[Match, ...]) -> bool:
    """Say whether several matches agree on every variable they share."""
    known: dict[str, Value] = {}
    for part in parts:
        for name, value in part.variables.items():
            if not same_value(known.setdefault(name, value), value):
                return False
    return True


def _of_either(world: World, node: Either, context: Context) -> Iterator[Match]:
    for part in node.parts:
        for match in matches(world, part, context):
            yield replace(match, openings=openings(node))


def _of_unordered_repeat(world: World, node: Repeated, context: Context) -> Iterator[Match]:
    """`repeat(p, n, attribute, v) BY &`: n events whose attribute grows by v, in any order."""

    def grow(so_far: tuple[Match, ...]) -> Iterator[Match]:
        if len(so_far) == node.low:
            yield joined(so_far, openings(node))
            return
        for match in matches(world, node.part, context):
            candidate = (*so_far, match)
            if _disjoint(candidate) and agree(candidate) and _in_step(node, so_far, match):
                yield from grow(candidate)

    return grow(())


def _in_step(node: Repeated, so_far: tuple[Match, ...], match: Match) -> bool:
    if not so_far:
        return True
    assert node.step is not None
    # With a step of 0 every order gives the same events: one of them is enough.
    in_order = node.step[1] != 0 or match.first.position > so_far[-1].first.position
    return in_order and sequences.has_grown(node.step, so_far[-1], match)
