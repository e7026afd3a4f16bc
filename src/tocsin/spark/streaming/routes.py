"""Which buckets an event goes to: the planner's groups as homes, and as columns of Spark."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tocsin.language.tree import Program
from tocsin.plan.partition import Group, PartitionPlan, Refusal, Strategy, Unit, plan_partitions
from tocsin.spark.conditions import column_of
from tocsin.spark.keys import key_column
from tocsin.spark.schema import STREAM
from tocsin.spark.splits import is_wanted
from tocsin.spark.streaming.task import Home

_STRATEGIES: Final = (Strategy.BY_KEY, Strategy.BY_SHARD)


@dataclass(frozen=True, slots=True)
class Route:
    """A group of subscriptions, and the homes it has: one by key, one for each shard otherwise.

    `stream` is that of all rows, where they do not name theirs.
    """

    group: Group
    homes: tuple[Home, ...]
    takes_all: bool
    stream: str

    def buckets(self, frame: DataFrame) -> list[Column]:
        """Return the buckets that a row goes to, null where it does not."""
        wanted = self._wanted(frame)
        if self.group.strategy is not Strategy.BY_KEY:
            return [F.when(wanted, F.lit(home.first)) for home in self.homes]
        (home,) = self.homes
        key = key_column(frame, self.group, self.stream)
        number = F.pmod(F.xxhash64(key), F.lit(home.size)).cast("int") + F.lit(home.first)
        return [F.when(wanted, number)]

    def _wanted(self, frame: DataFrame) -> Column:
        if self.takes_all:
            return F.lit(True)
        is_counted = bool(self.group.needs.positions)
        wanted = [
            (stream, None if is_counted else column_of(needs.condition, frame.schema))
            for stream, needs in self.group.needs.streams.items()
        ]
        return is_wanted(wanted, is_named=STREAM in frame.columns)


def plan_stream(
    program: Program, *, stream: str | None, unordered: bool, knows_start: bool
) -> PartitionPlan:
    """Return how the work on a live stream is split, and why that is exact.

    Positions cannot be counted before a split, since the stream never ends and comes in no order.
    What needs them reads the whole stream in one bucket.
    """

    def plan(names: set[str], strategies: Sequence[Strategy]) -> PartitionPlan:
        return plan_partitions(
            program.only(names),
            default_stream=stream,
            unordered=unordered,
            preference=strategies,
        )

    every = plan({one.name for one in program.subscriptions}, _STRATEGIES)
    units = [unit for group in every.groups for unit in group.units]
    whole = {
        name for u in units if _why_whole(u, knows_start=knows_start) for name in u.subscriptions
    }
    rest = {one.name for one in program.subscriptions} - whole
    found = [*plan(rest, _STRATEGIES).groups, *plan(whole, (Strategy.BY_SHARD,)).groups]
    return PartitionPlan(tuple(_with_reasons(group, knows_start=knows_start) for group in found))


def routes_of(  # noqa: PLR0913 - every option is a keyword of its own
    plan: PartitionPlan,
    program: Program,
    *,
    columns: Sequence[str],
    known: Collection[str],
    buckets: int,
    shards: int,
    knows_start: bool,
    stream: str,
) -> list[Route]:
    """Return where the groups of a plan run.

    Parameters
    ----------
    stream
        The stream of rows that name none.
    columns
        What every engine reads besides the attributes of its subscriptions.
    known
        The columns of the events; what else is read, only derived events have.
    buckets, shards
        Into how many buckets keys are hashed, and others are dealt.
    """
    routes: list[Route] = []
    first = 0
    for group in plan.groups:
        read = {name for needs in group.needs.streams.values() for name in needs.columns}
        carried = tuple(dict.fromkeys([*columns, *sorted(read.intersection(known))]))
        takes_all = group.needs.start and not knows_start
        if group.strategy is Strategy.BY_KEY:
            dealt, size = [group.units], buckets
        else:
            dealt, size = [group.units[number::shards] for number in range(shards)], 1
        homes = []
        for units in filter(None, dealt):
            names = {name for unit in units for name in unit.subscriptions}
            homes.append(Home(program.only(names), first, size, carried, _span(units)))
            first += size
        routes.append(Route(group, tuple(homes), takes_all, stream))
    return routes


def _span(units: Sequence[Unit]) -> int | None:
    """Return after how long nothing is left of an event."""
    overlaps = [
        None if choice is None else choice.overlap
        for choice in (unit.choice(Strategy.BY_TIME) for unit in units)
    ]
    spans = [one.span_us for one in overlaps if one is not None and not one.events]
    return max(spans) if len(spans) == len(overlaps) else None


def _why_whole(unit: Unit, *, knows_start: bool) -> str | None:
    if unit.needs.positions:
        return "a live stream has no positions before it is split"
    if unit.needs.start and not knows_start:
        return "it asks when the stream began; say start= to split it"
    return None


def _with_reasons(group: Group, *, knows_start: bool) -> Group:
    """Return a group as a stream has it: with reasons of its own, and not split by time."""
    units = []
    for unit in group.units:
        why = _why_whole(unit, knows_start=knows_start)
        if why is None or unit.choice(Strategy.BY_KEY) is None:
            units.append(unit)
            continue
        refusal = Refusal(Strategy.BY_KEY, unit.subscriptions[0], why)
        units.append(replace(unit, refusals=(refusal, *unit.refusals)))
    return replace(group, units=tuple(units), slices=None)
