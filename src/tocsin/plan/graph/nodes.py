"""A plan as it can be told and drawn: filters, machines, states and edges, numbered."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Literal as OneOf
from typing import TypeAlias

RoadName: TypeAlias = OneOf["kernel", "general"]
MachineKind: TypeAlias = OneOf["sequence", "iteration", "join", "union", "count", "silence"]
EdgeKind: TypeAlias = OneOf["forward", "rebind", "filter"]


@dataclass(frozen=True, slots=True)
class PlanFilter:
    """What events alone decide, evaluated once however many edges ask for it.

    Attributes
    ----------
    number, text, stream
        `F3`, the condition, and the stream its events must come from.
    access
        By what events find it: one path for each alternative of the condition.
    owners
        The subscriptions that ask for it.
    """

    number: int
    text: str
    stream: str | None
    access: tuple[str, ...]
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanState:
    """What has been matched so far.

    Attributes
    ----------
    number, machine, title
        `S4`, the machine it belongs to, and what has been taken last.
    guards
        Conditions on the match when it comes here.
    accepts
        The subscriptions (or, in a machine whose matches another takes, its number) complete here.
    owners
        The subscriptions that share it.
    """

    number: int
    machine: int
    title: str
    guards: tuple[str, ...]
    accepts: tuple[str, ...]
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanEdge:
    """What an event or a part does to a partial match.

    Attributes
    ----------
    kind
        `forward` leads on, `rebind` takes one more repetition, `filter` stays or ends.
    source, target
        Numbers of states.
    title
        The alias it binds, or what happens.
    link
        How it follows: `start`, `,`, `->`, `->{F2}`, `;` or nothing.
    filter, machine
        The number of the filter that an event must pass, or of the machine whose match is taken.
    binds
        The variables it gives a value, as `$x = ip`.
    guards
        What is asked of the event and the match together.
    window
        The windows that end the waiting.
    towards
        Of a filter edge, the state whose way it is about, where several ways lead on.
    """

    kind: EdgeKind
    source: int
    target: int
    title: str
    link: str = ""
    filter: int | None = None
    machine: int | None = None
    binds: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    window: str = ""
    towards: int | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """The bytes of predicate index, plan and state, before any event comes."""

    index: int
    plan: int
    state: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.index + self.plan + self.state


@dataclass(frozen=True, slots=True)
class PlanMachine:
    """The compiled form of a pattern part.

    Attributes
    ----------
    parts
        The machines whose matches it takes.
    memory
        What it takes together with its parts, where that was measured.
    """

    number: int
    kind: MachineKind
    road: RoadName
    title: str
    owners: tuple[str, ...]
    guards: tuple[str, ...] = ()
    window: str = ""
    parts: tuple[int, ...] = ()
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class PlanRoad:
    """How one subscription runs.

    Attributes
    ----------
    name, reads
        The subscription and its streams.
    road, reason
        `kernel`, or `general` and what asks for it.
    machine
        The number of the machine that reports its matches.
    window, where
        Its clauses.
    growth, notes
        How fast its matches can grow in number, and what it may cost.
    bytes
        The memory it takes, where that was measured; of a machine that several share, its share of
        index and plan.
    """

    name: str
    reads: tuple[str, ...]
    road: RoadName
    reason: str
    machine: int
    window: str
    where: str
    growth: str
    notes: tuple[str, ...] = ()
    bytes: int | None = None


@dataclass(frozen=True)
class PlanGraph:
    """The plan of a set of subscriptions."""

    roads: tuple[PlanRoad, ...]
    filters: tuple[PlanFilter, ...]
    machines: tuple[PlanMachine, ...]
    states: tuple[PlanState, ...]
    edges: tuple[PlanEdge, ...]

    def states_of(self, machine: int) -> tuple[PlanState, ...]:
        """Return the states of a machine in their order."""
        return tuple(self._states_by_machine[machine])

    def edges_from(self, state: int) -> tuple[PlanEdge, ...]:
        """Return the edges that leave a state, in their order."""
        return tuple(self._edges_by_source[state])

    @property
    def shared_states(self) -> tuple[PlanState, ...]:
        """The states of more than one subscription, starts left out."""
        return tuple(s for s in self.states if len(s.owners) > 1 and s.title != START)

    @cached_property
    def _states_by_machine(self) -> defaultdict[int, list[PlanState]]:
        found: defaultdict[int, list[PlanState]] = defaultdict(list)
        for state in self.states:
            found[state.machine].append(state)
        return found

    @cached_property
    def _edges_by_source(self) -> defaultdict[int, list[PlanEdge]]:
        found: defaultdict[int, list[PlanEdge]] = defaultdict(list)
        for edge in self.edges:
            found[edge.source].append(edge)
        return found


START = "start"
"""The title of the state in which nothing has been taken yet."""

ANY_EVENT = "any event"
"""The guard of an edge that asks for nothing."""

ANY_STAYS = "stays on any event"
"""What `;` lets a partial match do."""
