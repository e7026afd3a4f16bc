"""From the normal form of a pattern to its parts."""

from __future__ import annotations

from collections import Counter

from tocsin.engine.expressions import compile_condition
from tocsin.engine.machines.alone import stands_alone
from tocsin.engine.machines.both import BothPart
from tocsin.engine.machines.chain import ChainPart
from tocsin.engine.machines.counted import CountedPart
from tocsin.engine.machines.either import EitherPart
from tocsin.engine.machines.filters import BoundedPart, GuardPart
from tocsin.engine.machines.follow import Link, Wait
from tocsin.engine.machines.gate import Wanted, is_any, opened_by
from tocsin.engine.machines.iteration import IterationPart
from tocsin.engine.machines.lead import Lead
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Part, Reach
from tocsin.engine.machines.repeat import AnyOrderPart
from tocsin.engine.machines.static import Shared
from tocsin.engine.state import Left, Placed
from tocsin.language import normal
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
)
from tocsin.language.normal.normalize import present_leaves
from tocsin.language.tree import Expression, Limit
from tocsin.language.variables import variables_of


def build(pattern: Normal, within: Limit | None, shared: Shared) -> tuple[Part | Link, ...]:
    """Return the parts and links of a pattern by their numbers, the whole one last.

    Of a silence these are the parts of what is absent.

    Parameters
    ----------
    pattern
        In normal form.
    within
        The WITHIN clause around it.
    shared
        The filters of other subscriptions.
    """
    builder = _Builder(shared)
    whole = pattern.absent if isinstance(pattern, Silence) else pattern
    builder.make(whole, Reach().within(within))
    return tuple(builder.made)


class _Builder:
    """Makes parts from the inside out and numbers them."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.made: list[Part | Link] = []
        self.leaves: dict[int, LeafPart] = {}

    def make(self, node: Normal, reach: Reach) -> Part:
        part = self._part(node, reach)
        part.number = len(self.made)
        self.made.append(part)
        return part

    def _part(self, node: Normal, reach: Reach) -> Part:
        match node:
            case Leaf():
                return self._leaf(node)
            case Chain():
                return self._chain(node, reach)
            case Repeated(by=None):
                return self._any_order(node, reach)
            case Repeated():
                return self._iteration(node, reach)
            case Guard():
                return GuardPart(self.make(node.part, reach), node.condition)
            case Bounded():
                return BoundedPart(self.make(node.part, reach.within(node.limit)), node.limit)
            case Counted():
                return CountedPart(node.index, self.make(node.part, Reach()), node.variables)
            case Both():
                parts = self._all(node.parts, reach)
                variable = _joining_variable(node)
                return BothPart(parts, self._openings(node), variable=variable, reach=reach)
            case Either():
                return EitherPart(self._all(node.parts, reach), self._openings(node))
            case Silence():
                msg = "silence is a whole pattern"
                raise TypeError(msg)

    def _all(self, nodes: tuple[Normal, ...], reach: Reach) -> tuple[Part, ...]:
        return tuple(self.make(node, reach) for node in nodes)

    def _absent(self, nodes: tuple[Normal, ...]) -> tuple[Part, ...]:
        """What is absent may reach as far as it likes."""
        return tuple(self._made_absent(node) for node in nodes)

    def _made_absent(self, node: Normal, reach: Reach | None = None) -> Part:
        made_before = len(self.made)
        part = self.make(node, reach or Reach())
        part.stands_alone = stands_alone(node, self.made[made_before:])
        return part

    def _wait(self, wait: normal.Wait | None) -> Wait | None:
        return None if wait is None else Wait(self._made_absent(wait.absent), wait.duration)

    def _openings(self, node: Normal) -> tuple[LeafPart, ...]:
        return tuple(self.leaves[leaf.number] for leaf in normal.openings(node))

    def _leaf(self, node: Leaf) -> LeafPart:
        part = self.leaves[node.number] = LeafPart(node, self.shared)
        return part

    def _chain(self, node: Chain, reach: Reach) -> ChainPart:
        lead = None if node.lead is None else self._lead(node.lead)
        elements = self._all(node.elements, reach)
        links = tuple(
            self._link(joint, element)
            for joint, element in zip(node.joints, elements[1:], strict=True)
        )
        tail = self._wait(node.tail)
        return ChainPart(elements, links, lead=lead, tail=tail, reach=reach)

    def _lead(self, lead: normal.Lead) -> Lead:
        """A q that lies in the T before p is no longer than T."""
        absent, wait = self._absent(lead.absent), lead.wait
        if wait is None:
            return Lead(absent, None)
        within_wait = Reach(span_us=wait.duration)
        return Lead(absent, Wait(self._made_absent(wait.absent, within_wait), wait.duration))

    def _iteration(self, node: Repeated, reach: Reach) -> IterationPart:
        assert node.by is not None
        part = self.make(node.part, reach)
        until = None if node.until is None else compile_condition(node.until)
        return IterationPart(node, part, self._link(node.by, part), until=until, reach=reach)

    def _any_order(self, node: Repeated, reach: Reach) -> AnyOrderPart:
        assert node.step is not None
        part = self.make(node.part, reach)
        return AnyOrderPart(part, node.low, node.step, self._openings(node), reach=reach)

    def _link(self, joint: Joint, element: Part) -> Link:
        absent, absent_next = self._absent(joint.absent), self._absent(joint.absent_next)
        link = Link(
            number=-1,
            sign=joint.kind,
            wanted=_wanted(joint, element),
            variant_of=_variants(joint, element),
            absent=absent,
            absent_next=absent_next,
            wait=self._wait(joint.wait),
        )
        link.number = len(self.made)
        self.made.append(link)
        return link


def _joining_variable(node: Both) -> str | None:
    """Return the variable that most sides bind, where at least two of them do."""
    bound = [variables_of(tuple(leaf.condition for leaf in present_leaves(p))) for p in node.parts]
    most = Counter(name for names in bound for name in names).most_common(1)
    return most[0][0] if most and most[0][1] > 1 else None


def _wanted(joint: Joint, element: Part) -> tuple[Wanted, ...]:
    if joint.kind == ";":
        return ()
    if joint.kind == ",":
        return (is_any,)
    if joint.condition is not None:
        return (_satisfies(joint.condition),)
    return tuple(opened_by(leaves) for leaves in element.variants)


def _satisfies(condition: Expression) -> Wanted:
    holds = compile_condition(condition)

    def wanted(left: Left, placed: Placed) -> bool:
        return holds(left, placed.event)

    return wanted


def _variants(joint: Joint, element: Part) -> dict[tuple[LeafPart, ...], int]:
    if joint.kind != "->" or joint.condition is not None:
        return {}
    return {leaves: index for index, leaves in enumerate(element.variants)}
