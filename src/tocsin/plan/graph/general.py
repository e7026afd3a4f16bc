"""Patterns of the general road: a machine for each part, whose matches others take."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from tocsin.language.normal import (
    Both,
    Bounded,
    Chain,
    Counted,
    Either,
    Guard,
    Joint,
    Leaf,
    Normal,
    Repeated,
    Silence,
    Wait,
    can_be_empty,
    openings,
)
from tocsin.language.printer import to_text
from tocsin.language.printer.literals import duration_text
from tocsin.plan.graph.draft import Draft
from tocsin.plan.graph.edges import EdgeWriter, sign_of
from tocsin.plan.graph.nodes import ANY_STAYS, START, MachineKind, PlanEdge
from tocsin.plan.graph.titles import shared_variables, title_of, words_of

_EMPTY: Final = "without it"


@dataclass(frozen=True, slots=True)
class General:
    """Writes the machines of one subscription.

    Attributes
    ----------
    draft
        What is written to.
    owner
        The subscription.
    window
        Its WITHIN clause, in words.
    made
        The machines of parts that are taken more than once.
    """

    draft: Draft
    owner: str
    window: str
    made: dict[int, int] = field(default_factory=dict)

    @property
    def edges(self) -> EdgeWriter:
        """What writes the edges of these machines."""
        return EdgeWriter(self.draft, self.owner, self.window, self._part)

    def add(self, pattern: Normal) -> int:
        """Add the machines of a pattern; return the number of the one that reports its matches."""
        first = len(self.draft.states)
        machine = self.machine(pattern)
        for state in self.draft.states[first:]:
            if state.machine == machine and state.accepts:
                self.draft.states[state.number - 1] = replace(state, accepts=(self.owner,))
        return machine

    def machine(self, node: Normal) -> int:
        """Add the machine of a part and return its number."""
        match node:
            case Guard():
                return self._guarded(node)
            case Bounded():
                return self._bounded(node)
            case Chain():
                return self._chain(node)
            case Repeated():
                return self._iteration(node)
            case Both():
                return self._join(node)
            case Either():
                return self._union(node)
            case Counted():
                return self._count(node)
            case Silence():
                return self._silence(node)
            case Leaf():
                machine = self._begin("sequence", node)
                start, end = self._ends(machine)
                self.edges.take(node, start, end, "start")
                return machine

    def _guarded(self, node: Guard) -> int:
        number = self.machine(node.part)
        known = self.draft.machines[number - 1]
        guards = (*known.guards, to_text(node.condition))
        self.draft.machines[number - 1] = replace(known, guards=guards)
        return number

    def _bounded(self, node: Bounded) -> int:
        window = f"WITHIN {to_text(node.limit)}"
        number = replace(self, window=window).machine(node.part)
        known = self.draft.machines[number - 1]
        windows = " ".join(filter(None, (known.window, window)))
        self.draft.machines[number - 1] = replace(known, window=windows)
        return number

    def _chain(self, node: Chain) -> int:
        machine = self._begin("sequence", node)
        state = self.draft.state(machine, START, self.owner)
        if node.lead is not None:
            for part in node.lead.absent:
                self.edges.filter("never begins after", part, state)
            self._quiet(node.lead.wait, state, "begins only after")
        joints: tuple[Joint | None, ...] = (None, *node.joints)
        for joint, element in zip(joints, node.elements, strict=True):
            state = self._element(machine, state, joint, element)
        if node.tail is not None:
            state = self._tail(machine, state, node.tail)
        self.draft.accept(state, f"M{machine}")
        return machine

    def _element(self, machine: int, state: int, joint: Joint | None, element: Normal) -> int:
        if joint is not None:
            self._wait(joint, element, state)
        reached = self.draft.state(machine, f"after {title_of(element)}", self.owner)
        self.edges.take(element, state, reached, sign_of(joint))
        if can_be_empty(element):
            self.draft.edge(PlanEdge("forward", state, reached, _EMPTY))
        return reached

    def _wait(self, joint: Joint, element: Normal, state: int) -> None:
        """Add what events do to a partial match that waits for the next element."""
        if joint.kind == ";":
            self.draft.edge(PlanEdge("filter", state, state, ANY_STAYS))
        elif joint.condition is not None:
            self.edges.condition("stays until", joint.condition, state)
        elif joint.kind == "->":
            for leaf in openings(element):
                self.edges.filter("stays until", leaf, state)
        for part in joint.absent:
            self.edges.filter("ends at", part, state)
        for part in joint.absent_next:
            self.edges.filter("ends if next is", part, state)
        self._quiet(joint.wait, state, "goes on only after")

    def _tail(self, machine: int, state: int, wait: Wait) -> int:
        self.edges.filter("ends at", wait.absent, state)
        reached = self.draft.state(machine, "after the silence", self.owner)
        timer = f"{duration_text(wait.duration)} later"
        self.draft.edge(PlanEdge("forward", state, reached, timer))
        return reached

    def _quiet(self, wait: Wait | None, state: int, words: str) -> None:
        if wait is not None:
            title = f"{words} {duration_text(wait.duration)} without"
            self.edges.filter(title, wait.absent, state)

    def _iteration(self, node: Repeated) -> int:
        machine = self._begin("iteration" if node.by is not None else "join", node)
        start = self.draft.state(machine, START, self.owner)
        repeated = self.draft.state(machine, f"after {title_of(node.part)}", self.owner)
        self.edges.take(node.part, start, repeated, "start")
        if node.by is not None:
            self._wait(node.by, node.part, repeated)
        self.edges.take(node.part, repeated, repeated, "" if node.by is None else sign_of(node.by))
        if node.until is not None:
            self.edges.condition("ends at", node.until, repeated)
        self.draft.accept(repeated, f"M{machine}")
        return machine

    def _join(self, node: Both) -> int:
        machine = self._begin("join", node)
        start = self.draft.state(machine, START, self.owner)
        titles = [f"{title_of(part)} kept" for part in node.parts]
        sides = [self.draft.state(machine, title, self.owner) for title in titles]
        end = self._end(machine)
        keys = shared_variables(node)
        guards = tuple(f"equal ${name}" for name in keys) or ("no variable joins them",)
        for part, side in zip(node.parts, sides, strict=True):
            self.edges.take(part, start, side, "start")
            edge = PlanEdge("forward", side, end, "joins", "&", guards=guards, window=self.window)
            self.draft.edge(edge)
        return machine

    def _union(self, node: Either) -> int:
        machine = self._begin("union", node)
        start, end = self._ends(machine)
        for part in node.parts:
            self.edges.take(part, start, end, "start")
        return machine

    def _count(self, node: Counted) -> int:
        machine = self._begin("count", node)
        start, end = self._ends(machine)
        keys = "".join(f" for each ${name}" for name in node.variables)
        self.edges.take(node.part, start, end, "start", (f"number {node.index}{keys}",))
        return machine

    def _silence(self, node: Silence) -> int:
        machine = self._begin("silence", node)
        start, end = self._ends(machine)
        self.edges.filter("starts anew at", node.absent, start)
        timer = f"{duration_text(node.duration)} later"
        self.draft.edge(PlanEdge("forward", start, end, timer))
        if node.every is not None:
            again = f"every {duration_text(node.every)}"
            self.draft.edge(PlanEdge("rebind", end, end, again))
        return machine

    def _begin(self, kind: MachineKind, node: Normal) -> int:
        return self.draft.machine(kind, words_of(node), self.owner)

    def _ends(self, machine: int) -> tuple[int, int]:
        return self.draft.state(machine, START, self.owner), self._end(machine)

    def _end(self, machine: int) -> int:
        end = self.draft.state(machine, "complete", self.owner)
        self.draft.accept(end, f"M{machine}")
        return end

    def _part(self, node: Normal, state: int) -> int:
        """Add the machine of a part of the machine that a state belongs to."""
        number = self.made.get(id(node))
        if number is None:
            number = self.made[id(node)] = self.machine(node)
        outer = self.draft.states[state - 1].machine
        known = self.draft.machines[outer - 1]
        if number not in known.parts:
            self.draft.machines[outer - 1] = replace(known, parts=(*known.parts, number))
        return number
