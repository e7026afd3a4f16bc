"""The edges of machines of the general road."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tocsin.language.normal import Guard, Joint, Leaf, Normal
from tocsin.language.printer import to_text
from tocsin.language.tree import Expression
from tocsin.plan.graph.draft import Draft, is_true
from tocsin.plan.graph.nodes import ANY_EVENT, START, PlanEdge
from tocsin.plan.graph.titles import title_of
from tocsin.plan.predicates import split_condition


@dataclass(frozen=True, slots=True)
class EdgeWriter:
    """Writes edges; `machine_of` gives the machine of a part that is no atom.

    It is given the part and the state at which its match is awaited.
    """

    draft: Draft
    owner: str
    window: str
    machine_of: Callable[[Normal, int], int]

    def take(
        self, node: Normal, source: int, target: int, link: str, guards: tuple[str, ...] = ()
    ) -> None:
        """Add the edge that takes an event, or the match of another machine."""
        window = self.window if link.startswith(("->", ";")) else ""
        edge = PlanEdge("forward", source, target, title_of(node), link, window=window)
        if source == target:
            edge = replace(edge, kind="rebind")
        edge = self._with_what(edge, node)
        self.draft.edge(replace(edge, guards=(*edge.guards, *guards)))

    def filter(self, title: str, part: Normal, state: int) -> None:
        """Add what an event, or the match of a part, does to a partial match that waits."""
        self.draft.edge(self._with_what(PlanEdge("filter", state, state, title), part))

    def condition(self, title: str, condition: Expression, state: int) -> None:
        """Add what an event that satisfies a condition does to a partial match that waits."""
        self.draft.edge(self._asking(PlanEdge("filter", state, state, title), condition))

    def _with_what(self, edge: PlanEdge, node: Normal) -> PlanEdge:
        """Add filter and guards of an atom, or the machine of any other part."""
        while isinstance(node, Guard) and isinstance(node.part, Leaf):
            edge = replace(edge, guards=(*edge.guards, to_text(node.condition)))
            node = node.part
        if not isinstance(node, Leaf):
            return replace(edge, machine=self.machine_of(node, edge.source))
        return self._asking(edge, node.condition, own=node.alias, stream=node.stream)

    def _asking(
        self,
        edge: PlanEdge,
        condition: Expression,
        *,
        own: str | None = None,
        stream: str | None = None,
    ) -> PlanEdge:
        """Add a condition: what an event decides alone as a filter, the rest as guards."""
        split = split_condition(condition, own=own)
        guards = (*edge.guards, *map(to_text, split.dynamic))
        if is_true(split.static) and stream is None:
            return replace(edge, guards=guards or (ANY_EVENT,))
        text = to_text(split.static)
        number = self.draft.filter(split.static, text, stream, self.owner)
        return replace(edge, filter=number, guards=guards)


def sign_of(joint: Joint | None) -> str:
    """Return how an element follows, as in the text."""
    if joint is None:
        return START
    condition = "" if joint.condition is None else f"{{{to_text(joint.condition)}}}"
    return f"{joint.kind}{condition}"
