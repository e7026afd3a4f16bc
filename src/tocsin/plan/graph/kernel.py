"""Linear patterns in the plan: one tree of states for all that read the same streams."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from tocsin.language.normal import NormalSubscription
from tocsin.language.normal.normalize import present_leaves
from tocsin.language.printer import to_text
from tocsin.language.tree import Expression, Not
from tocsin.plan.graph.draft import Draft, is_true
from tocsin.plan.graph.nodes import ANY_EVENT, ANY_STAYS, START, EdgeKind, PlanEdge
from tocsin.plan.graph.readable import Words
from tocsin.plan.linear import Linear, Move, Node, Test


def add_linear(draft: Draft, subscription: NormalSubscription, form: Linear) -> int:
    """Add the states and edges of a linear form; return the number of its machine.

    Two subscriptions share a state where the way to it is equal: the same links, filters, guards
    and repetitions from the start on. Aliases and windows may differ.
    """
    name = subscription.tree.name
    machine = draft.kernel_machine(subscription.sources, name)
    aliases = {leaf.number: leaf.alias for leaf in present_leaves(subscription.pattern)}
    window = " ".join(f"WITHIN {to_text(limit)}" for limit in form.limits)
    start = draft.shared_state((), machine, START, name)
    writer = _Writer(draft, machine, name, aliases, window)
    writer.grow(form.start, _Place(start, (), ()))
    return machine


@dataclass(frozen=True, slots=True)
class _Place:
    """A state, the way to it, and the aliases of what was taken on that way."""

    state: int
    way: tuple[Hashable, ...]
    taken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Writer:
    draft: Draft
    machine: int
    owner: str
    alias_of_leaf: dict[int, str]
    window: str

    def grow(self, node: Node, place: _Place) -> None:
        if node.accepts:
            self.draft.accept(place.state, self.owner)
        if node.loop is not None:
            self.edge("rebind", node, node.loop, (place.state, place.state))
        for move, target in node.moves:
            reached = self.reached(node, move, target, place)
            self.edge("forward", node, move, (place.state, reached.state), target)
            self.grow(target, reached)

    def reached(self, node: Node, move: Move, target: Node, place: _Place) -> _Place:
        """Return the state that a move leads to."""
        alias = self.alias_of_leaf[move.leaf]
        taken = (*place.taken, alias)
        loop = None if target.loop is None else self.key(node, target.loop)
        way = (*place.way, (self.key(node, move), target.guards, loop))
        words = Words(self.alias_of_leaf, target.variables)
        guards = tuple(part for guard in target.guards for part in words.all_parts(guard))
        count = taken.count(alias)
        title = f"after {alias}" + (f" ({count} times)" if count > 1 else "")
        state = self.draft.shared_state(way, self.machine, title, self.owner, guards)
        return _Place(state, way, taken)

    def key(self, node: Node, move: Move) -> Hashable:
        """Return what two moves must have in common to lead to one state."""
        test = self.filter(node, move, move.test, move.stream), move.test.dynamic
        rest = move.gate, move.until, move.ends, move.absent
        return move.link, move.leaf, test, rest

    def filter(self, node: Node, move: Move, test: Test, stream: str | None) -> int | None:
        return self.number(self.words(node, move), test.static, stream)

    def number(self, words: Words, static: Expression, stream: str | None) -> int | None:
        if is_true(static) and stream is None:
            return None
        return self.draft.filter(static, words.text(static), stream, self.owner)

    def words(self, node: Node, move: Move) -> Words:
        return Words(self.alias_of_leaf, node.variables, self.alias_of_leaf[move.leaf])

    def edge(
        self,
        kind: EdgeKind,
        node: Node,
        move: Move,
        ends: tuple[int, int],
        target: Node | None = None,
    ) -> None:
        """Add the edge that takes one more event, and what happens until it comes.

        Where another subscription has brought it, only the window is new.
        """
        window = self.window if move.link in {"->", ";"} else ""
        if self.draft.widen(kind, ends, window):
            return
        words = self.words(node, move)
        bound = {} if target is None else target.variables
        binds = [f"${name} = {bound[name].attribute}" for name in bound.keys() - node.variables]
        until = () if move.until is None else (words.text(Not(move.until)),)
        number = self.filter(node, move, move.test, move.stream)
        guards = (*words.guards(move.test), *until)
        self.draft.edge(
            PlanEdge(
                kind,
                *ends,
                self.alias_of_leaf[move.leaf],
                self.link(words, move),
                number,
                binds=tuple(sorted(binds)),
                guards=guards or (() if number else (ANY_EVENT,)),
                window=window,
            )
        )
        self.waiting(node, move, ends)

    def link(self, words: Words, move: Move) -> str:
        """Return the sign of a link, its condition by the number of its filter."""
        if move.gate is None:
            return move.link
        number = self.number(words, move.gate.static, None)
        asked = ([] if number is None else [f"F{number}"]) + list(words.guards(move.gate))
        return f"{move.link}{{{' AND '.join(asked) or 'TRUE'}}}"

    def waiting(self, node: Node, move: Move, ends: tuple[int, int]) -> None:
        """Add what events do that are not taken: a partial match stays, or it ends."""
        state, towards = ends
        if move.link == ";":
            self.draft.edge(PlanEdge("filter", state, state, ANY_STAYS, towards=towards))
        elif move.link == "->":
            decides = move.test if move.gate is None else move.gate
            stream = move.stream if move.gate is None else None
            self.draft.edge(self.asking("stays until", node, move, (decides, stream), ends))
        found = [*move.absent] if move.ends is None else [(Test(move.ends), None), *move.absent]
        for asked in found:
            self.draft.edge(self.asking("ends at", node, move, asked, ends))

    def asking(
        self,
        title: str,
        node: Node,
        move: Move,
        asked: tuple[Test, str | None],
        ends: tuple[int, int],
    ) -> PlanEdge:
        """Return the edge of events that satisfy a test and are not taken."""
        words, (test, stream), (state, towards) = self.words(node, move), asked, ends
        number = self.number(words, test.static, stream)
        guards = words.guards(test)
        return PlanEdge("filter", state, state, title, "", number, guards=guards, towards=towards)
