"""From elements to nodes: optional parts and repetitions are written out as paths."""

from __future__ import annotations

import math

from tocsin.language.normal import Bounded, Joint, Leaf, Normal, NormalSubscription
from tocsin.language.normal.normalize import present_leaves
from tocsin.language.tree import And, Expression, Limit
from tocsin.plan.linear.counting import with_known_count
from tocsin.plan.linear.elements import Element, elements_of
from tocsin.plan.linear.nodes import Bound, Linear, Move, Node, NotLinearError, Test
from tocsin.plan.linear.references import Names, test_of, test_of_atom, test_of_last
from tocsin.plan.predicates.split import is_static


def linear_form(subscription: NormalSubscription) -> Linear:
    """Return the linear form of a subscription.

    Raises
    ------
    NotLinearError
        Says which part of the pattern needs another machine.
    """
    pattern, limits = _without_limits(subscription.pattern)
    if subscription.tree.within is not None:
        limits = (*limits, subscription.tree.within)
    builder = _Paths(elements_of(pattern), _leaf_of_alias(subscription.pattern))
    start = Node()
    builder.add_moves(start, -1)
    where = None
    if subscription.where is not None:
        where = test_of(subscription.where, _final_names(builder, start))
    return Linear(start, limits, where)


def _without_limits(pattern: Normal) -> tuple[Normal, tuple[Limit, ...]]:
    """A WITHIN around everything is as good as the clause."""
    limits: list[Limit] = []
    while isinstance(pattern, Bounded):
        limits.append(pattern.limit)
        pattern = pattern.part
    return pattern, tuple(limits)


def _leaf_of_alias(pattern: Normal) -> dict[str, int]:
    """An alias that several atoms share stands for none of them alone."""
    leaves = list(present_leaves(pattern))
    aliases = [leaf.alias for leaf in leaves]
    return {leaf.alias: leaf.number for leaf in leaves if aliases.count(leaf.alias) == 1}


def _final_names(builder: _Paths, start: Node) -> Names:
    """Return what names stand for at the end; they must not depend on the way there."""
    found: dict[str, Bound] | None = None
    waiting = [start]
    while waiting:
        node = waiting.pop()
        waiting += [target for _, target in node.moves]
        if node.accepts and found not in (None, node.variables):
            msg = "WHERE with variables that different parts bind"
            raise NotLinearError(msg)
        if node.accepts:
            found = node.variables
    return Names(builder.leaf_of_alias, found or {})


def _absent(joint: Joint, names: Names) -> tuple[tuple[Test, str | None], ...]:
    """Return the tests of the atoms that must not come between; what they bind is not seen."""
    found = []
    for leaf in joint.absent:
        assert isinstance(leaf, Leaf)
        test, _ = test_of_atom(leaf.condition, leaf.number, leaf.alias, names)
        found.append((test, leaf.stream))
    return tuple(found)


class _Paths:
    def __init__(self, elements: list[Element], leaf_of_alias: dict[str, int]) -> None:
        self.elements = elements
        self.leaf_of_alias = leaf_of_alias

    def add_moves(self, node: Node, index: int) -> None:
        """Add what may follow element `index`, optional elements passed over."""
        for following in range(index + 1, len(self.elements)):
            element = self.elements[following]
            link = "start" if index < 0 else None
            if link is not None and element.joint is not None and element.joint.absent:
                msg = "an absence that may open the pattern"
                raise NotLinearError(msg)
            self.add_move(node, following, 1, link)
            if element.low > 0:
                return
        node.accepts = index >= 0

    def add_move(self, node: Node, index: int, count: int, link: str | None) -> None:
        """Add the move that takes repetition `count` of an element."""
        move, variables = self.move(node, index, count, link)
        target = Node(variables=variables)
        node.moves.append((move, target))
        self.grow(target, index, count)

    def condition(self, element: Element, count: int, *, is_loop: bool) -> Expression:
        """Return the condition of repetition `count`, or of that and all later ones."""
        leaf = element.leaf
        if self.leaf_of_alias.get(leaf.alias) != leaf.number:
            return leaf.condition
        most = math.inf if is_loop else count - 1
        return with_known_count(leaf.condition, leaf.alias, count - 1, most)

    def move(
        self, node: Node, index: int, count: int, link: str | None, *, is_loop: bool = False
    ) -> tuple[Move, dict[str, Bound]]:
        element = self.elements[index]
        joint = element.joint if count == 1 else element.by
        names = Names(self.leaf_of_alias, node.variables)
        leaf, condition = element.leaf, self.condition(element, count, is_loop=is_loop)
        test, variables = test_of_atom(condition, leaf.number, leaf.alias, names)
        gate = None
        if link is None and joint is not None and joint.condition is not None:
            gate = test_of(joint.condition, names)
        if element.until is not None and not is_static(element.until):
            msg = "UNTIL that looks at other events"
            raise NotLinearError(msg)
        kind = link or (joint.kind if joint is not None else "start")
        ends = element.until if count > 1 else None  # what comes before the iteration is no matter
        absent = () if link is not None or joint is None else _absent(joint, names)
        if kind == "->" and gate is None and count == 1 and element.until is not None:
            # The first event that fits decides, also where UNTIL keeps it from being taken.
            refused = Test(And((test.static, element.until)), test.dynamic)
            absent = (*absent, (refused, leaf.stream))
        move = Move(
            kind,  # type: ignore[arg-type]
            leaf.number,
            test,
            leaf.stream,
            gate,
            element.until,
            ends,
            absent,
        )
        return move, variables

    def grow(self, node: Node, index: int, count: int) -> None:
        """Add what may come after repetition `count` of an element."""
        element = self.elements[index]
        if element.high is None and count >= max(element.low, 1):
            node.loop, _ = self.move(node, index, count + 1, None, is_loop=True)
        elif element.high is None or count < element.high:
            self.add_move(node, index, count + 1, None)
        if count >= element.low:
            node.guards = self.guards(node, element)
            if node.guards and len(node.moves) > 0:
                msg = "a condition on an iteration with an upper bound"
                raise NotLinearError(msg)
            self.add_moves(node, index)

    def guards(self, node: Node, element: Element) -> tuple[Test, ...]:
        """Return what must hold at a node: of the last event alone, where that suffices."""
        names, alias = Names(self.leaf_of_alias, node.variables), element.leaf.alias
        if self.leaf_of_alias.get(alias) == element.leaf.number:
            alone = tuple(test_of_last(guard, names, alias) for guard in element.guards)
            if not any(test.dynamic for test in alone):
                return alone
        return tuple(test_of(guard, names) for guard in element.guards)
