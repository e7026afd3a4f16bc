"""A plan graph in the making: equal filters and states are found again by value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from tocsin.errors import UnsupportedError
from tocsin.language.tree import Expression, Literal
from tocsin.plan.graph.access import access_of
from tocsin.plan.graph.nodes import (
    EdgeKind,
    MachineKind,
    PlanEdge,
    PlanFilter,
    PlanGraph,
    PlanMachine,
    PlanRoad,
    PlanState,
)
from tocsin.plan.predicates import to_filter


@dataclass(slots=True)
class Draft:
    """Collects the parts of a plan and numbers them from 1 on."""

    roads: list[PlanRoad] = field(default_factory=list)
    filters: list[PlanFilter] = field(default_factory=list)
    machines: list[PlanMachine] = field(default_factory=list)
    states: list[PlanState] = field(default_factory=list)
    windows_of_edge: dict[PlanEdge, dict[str, None]] = field(default_factory=dict)
    _filter_of_value: dict[Hashable, int] = field(default_factory=dict)
    _kernel_of_streams: dict[tuple[str, ...], int] = field(default_factory=dict)
    _windows_between: dict[tuple[EdgeKind, int, int], dict[str, None]] = field(default_factory=dict)
    _state_of_way: dict[Hashable, int] = field(default_factory=dict)

    def filter(self, condition: Expression, text: str, stream: str | None, owner: str) -> int:
        """Return the number of a filter; an equal one has the same number."""
        value = (stream, _value(condition))
        number = self._filter_of_value.setdefault(value, len(self.filters) + 1)
        if number > len(self.filters):
            self.filters.append(PlanFilter(number, text, stream, access_of(condition), ()))
        known = self.filters[number - 1]
        self.filters[number - 1] = replace(known, owners=_with(known.owners, owner))
        return number

    def machine(self, kind: MachineKind, title: str, owner: str) -> int:
        """Begin a machine of the general road and return its number."""
        number = len(self.machines) + 1
        self.machines.append(PlanMachine(number, kind, "general", title, (owner,)))
        return number

    def kernel_machine(self, reads: tuple[str, ...], owner: str) -> int:
        """Return the machine of all linear patterns that read the same streams."""
        number = self._kernel_of_streams.setdefault(reads, len(self.machines) + 1)
        if number > len(self.machines):
            title = f"all sequences that read {', '.join(reads)}"
            self.machines.append(PlanMachine(number, "sequence", "kernel", title, ()))
        known = self.machines[number - 1]
        self.machines[number - 1] = replace(known, owners=_with(known.owners, owner))
        return number

    def state(self, machine: int, title: str, owner: str, guards: tuple[str, ...] = ()) -> int:
        """Make a state and return its number."""
        number = len(self.states) + 1
        self.states.append(PlanState(number, machine, title, guards, (), (owner,)))
        return number

    def shared_state(
        self, way: Hashable, machine: int, title: str, owner: str, guards: tuple[str, ...] = ()
    ) -> int:
        """Return the number of the state that a way leads to."""
        number = self._state_of_way.get((machine, way))
        if number is None:
            number = self._state_of_way[machine, way] = self.state(machine, title, owner, guards)
        known = self.states[number - 1]
        self.states[number - 1] = replace(known, owners=_with(known.owners, owner))
        return number

    def accept(self, state: int, name: str) -> None:
        """Let a state report the matches of a subscription, or of a part."""
        known = self.states[state - 1]
        self.states[state - 1] = replace(known, accepts=_with(known.accepts, name))

    def edge(self, edge: PlanEdge) -> None:
        """Add an edge; an equal one is the same."""
        windows = self.windows_of_edge.setdefault(replace(edge, window=""), {})
        windows[edge.window] = None
        self._windows_between.setdefault((edge.kind, edge.source, edge.target), windows)

    def widen(self, kind: EdgeKind, ends: tuple[int, int], window: str) -> bool:
        """Add the window of one more subscription to an edge; say whether there is one."""
        windows = self._windows_between.get((kind, *ends))
        if windows is not None:
            windows[window] = None
        return windows is not None

    def graph(self) -> PlanGraph:
        """Return the finished plan."""
        ways = Counter(source for kind, source, _ in self._windows_between if kind != "filter")
        edges = (
            replace(
                edge,
                window=_together(windows),
                towards=edge.towards if ways[edge.source] > 1 else None,
            )
            for edge, windows in self.windows_of_edge.items()
        )
        return PlanGraph(
            roads=tuple(self.roads),
            filters=tuple(self.filters),
            machines=tuple(self.machines),
            states=tuple(self.states),
            edges=tuple(edges),
        )


def is_true(condition: Expression) -> bool:
    """Say whether every event satisfies a condition."""
    return condition == Literal(True)


def _together(windows: dict[str, None]) -> str:
    """Where somebody has no window, nothing ends the waiting."""
    return "" if "" in windows else " or ".join(windows)


def _with(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return names if name in names else (*names, name)


def _value(condition: Expression) -> Hashable:
    """Filters are equal where their normal forms are, in any order."""
    try:
        return frozenset(frozenset(part) for part in to_filter(condition))
    except UnsupportedError:
        return condition
