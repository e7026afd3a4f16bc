"""`plan_partitions`: how the work of subscriptions is split with exactly the same answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from tocsin.language.live import LiveProgram
from tocsin.language.normal import NormalSubscription
from tocsin.language.tree import Program
from tocsin.plan.partition.by_time import reasons_of
from tocsin.plan.partition.key_reach import chain_reasons
from tocsin.plan.partition.needs import joined_needs
from tocsin.plan.partition.nodes import Choice, Group, Overlap, PartitionPlan, Strategy, Unit
from tocsin.plan.partition.units import Judge, together

PREFERENCE: Final = tuple(Strategy)
"""The best first: keys need no overlap, slices no second reading of the stream."""


def plan_partitions(
    program: Program,
    *,
    default_stream: str | None = None,
    unordered: bool = False,
    preference: Sequence[Strategy] = PREFERENCE,
) -> PartitionPlan:
    """Return how the subscriptions of a program are split, and why that is exact.

    Parameters
    ----------
    program
        A program that the checker accepts.
    default_stream
        The stream of subscriptions that name none.
    unordered
        Whether the engine runs with `simultaneous="unordered"`.
    preference
        Which strategies to take, the best first; one that is not here is not taken, except
        `SINGLE`.

    Raises
    ------
    LanguageError
        The program is wrong.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> text = "SUBSCRIBE s FROM logins MATCH a:[ip = $x] ; b:[ip = $x]"
    >>> plan_partitions(parse(text)).groups[0].choice.key
    (('logins', 'ip'),)
    """
    live = LiveProgram(program, default_stream=default_stream)
    subscriptions = live.normal(program.subscriptions)
    return plan_subscriptions(
        subscriptions, source=program.source, unordered=unordered, preference=preference
    )


def plan_subscriptions(
    subscriptions: Sequence[NormalSubscription],
    *,
    source: str = "",
    unordered: bool = False,
    preference: Sequence[Strategy] = PREFERENCE,
) -> PartitionPlan:
    """Return the same for subscriptions in normal form; `source` is the text they stand in."""
    judge = Judge(source, unordered)
    units = [judge.unit(found) for found in together(subscriptions)]
    keys = Counter(choice.key for unit in units for choice in unit.choices if choice.key)
    chosen: dict[object, list[tuple[Unit, Choice]]] = {}
    for unit in units:
        choice = _best(unit, preference, keys)
        chosen.setdefault(_kind(unit, choice), []).append((unit, choice))
    may_slice = Strategy.BY_TIME in preference
    return PartitionPlan(tuple(_group(members, may_slice=may_slice) for members in chosen.values()))


def _best(
    unit: Unit, preference: Sequence[Strategy], keys: Counter[tuple[tuple[str, str], ...]]
) -> Choice:
    """Return the best choice of a unit; of several keys, the one that most units share."""
    if Strategy.BY_TIME in preference:
        for choice in unit.choices:
            if choice.overlap is not None and choice.overlap.is_alone:
                return choice  # rows stay where they are, which no key can beat
    for strategy in preference:
        found = [choice for choice in unit.choices if choice.strategy is strategy]
        if found:
            return max(found, key=lambda choice: keys[choice.key])
    return unit.choices[-1]


def _kind(unit: Unit, choice: Choice) -> object:
    """Units for which this is equal run together."""
    streams = frozenset(unit.needs.streams) if choice.strategy is Strategy.BY_TIME else None
    return (choice.strategy, choice.key, streams)


def _group(members: list[tuple[Unit, Choice]], *, may_slice: bool) -> Group:
    units = tuple(unit for unit, _ in members)
    choice = members[0][1]
    if choice.strategy is Strategy.BY_SHARD and len(units) == 1:  # there is nothing to split
        choice = units[0].choices[-1]
    if choice.overlap is not None:
        overlap = _widest(one.overlap for _, one in members if one.overlap is not None)
        choice = Choice(choice.strategy, (), overlap, reasons_of(overlap))
    chain = _chain([one for _, one in members]) if may_slice else None
    reasons = () if chain is None else chain_reasons(chain)
    choice = replace(choice, reasons=(*choice.reasons, *reasons), chain=chain)
    return Group(choice, units, joined_needs(unit.needs for unit in units), _slices(units, choice))


def _chain(choices: list[Choice]) -> int | None:
    """Return how many events a match of any unit has at most, where all of them are chains."""
    found = [choice.chain for choice in choices if choice.chain is not None]
    return max(found) if len(found) == len(choices) else None


def _slices(units: tuple[Unit, ...], choice: Choice) -> Overlap | None:
    if choice.strategy is not Strategy.BY_KEY:
        return None
    found = [unit.choice(Strategy.BY_TIME) for unit in units]
    overlaps = [one.overlap for one in found if one is not None and one.overlap is not None]
    if len(overlaps) < len(units):
        return None
    widest = _widest(overlaps)
    # Positions are counted in the streams of a unit, so that those of another say nothing.
    are_alike = len({frozenset(unit.needs.streams) for unit in units}) == 1
    return widest if are_alike or not widest.events else None


def _widest(overlaps: Iterable[Overlap]) -> Overlap:
    return reduce(Overlap.joined, overlaps)
