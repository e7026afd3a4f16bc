"""Whether events with different keys never meet in a match, nor prevent one.

The proof walks the pattern as the reference matches it. What it carries along are the variables
that have the key as their value whenever anything has been matched; every event that is taken,
forbidden or looked for must then be tied to one of them, or to an event taken before.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    NormalSubscription,
    Repeated,
    Silence,
    can_be_empty,
)
from tocsin.language.tree import Absence, Conjunction, Expression, Nth, Repeat
from tocsin.plan.partition.refused import RefusedError, refuse
from tocsin.plan.partition.shape import leads_of, place_of_kind, place_of_leaf, sites_of
from tocsin.plan.partition.ties import Key, Ties


@dataclass(frozen=True, slots=True)
class Left:
    """What is known of all that was matched to the left of a part.

    Attributes
    ----------
    variables
        Those whose value is the key, provided anything was matched.
    may_be_empty, is_empty
        Whether it may be, and whether it is certain, that nothing was matched.
    """

    variables: frozenset[str]
    may_be_empty: bool = False
    is_empty: bool = False

    def taken(self) -> Left:
        """Return the same for the case that something was matched."""
        return Left(self.variables)

    def or_without(self, before: Left) -> Left:
        """Return what is known behind a part that may vanish."""
        return Left(self.variables & before.variables, before.may_be_empty)


def prove_by_key(subscription: NormalSubscription, key: Key) -> frozenset[str]:
    """Return the variables that hold the key in every match.

    Raises
    ------
    RefusedError
        Events with different keys may meet.
    """
    for site in sites_of(subscription.pattern):
        for stream in subscription.sources if site.stream is None else (site.stream,):
            if stream not in key:
                refuse(f"stream '{stream}' has no key", site.condition.at)
    ties = Ties.of(subscription, key)
    proof = _Proof(subscription, ties)
    return proof.visit(subscription.pattern, Left(ties.variables, True, True)).variables


class _Proof:
    """The walk; `anchored` are the aliases whose events certainly have the key of the match."""

    def __init__(self, subscription: NormalSubscription, ties: Ties) -> None:
        self.subscription, self.ties = subscription, ties
        self.anchored: set[str] = set()
        self.afterwards = set(ties.tied_afterwards())

    def visit(self, node: Normal, left: Left, *, ask_afterwards: bool = True) -> Left:
        """Return what is known behind a part, where it took something.

        `ask_afterwards` says whether WHERE may tie what the filters do not: not where events are
        chosen, counted or forbidden before it is asked.
        """
        match node:
            case Leaf():
                return self.leaf(node, left, ask_afterwards=ask_afterwards)
            case Chain():
                return self.chain(node, left, ask_afterwards=ask_afterwards)
            case Repeated():
                return self.repeated(node, left)
            case Guard() | Bounded():
                return self.visit(node.part, left, ask_afterwards=ask_afterwards)
            case Counted():
                return self.counted(node, left)
            case Both():
                return self.both(node, left)
            case Either():
                found = [
                    self.visit(part, left, ask_afterwards=ask_afterwards) for part in node.parts
                ]
                common = frozenset.intersection(*(one.variables for one in found))
                return Left(common, any(one.may_be_empty for one in found))
            case Silence():
                reason = (
                    "silence is first that of all keys together; write 'q ; !q FOR T' for each key"
                )
                raise RefusedError(reason, place_of_kind(self.subscription, Absence))

    def leaf(self, leaf: Leaf, left: Left, *, ask_afterwards: bool) -> Left:
        bound = self.ties.bound_by(leaf)
        is_tied = (
            left.is_empty
            or not bound.isdisjoint(left.variables)
            or self.ties.follows_event(leaf.condition, leaf.stream, leaf.alias)
        )
        if is_tied:
            return self.tied_leaf(leaf, left)
        if not (ask_afterwards and self.is_tied_afterwards(leaf)):
            reason = f"atom '{leaf.alias}' is not tied to the key of what was matched before it"
            refuse(reason, place_of_leaf(self.subscription, leaf.number))
        # It may have bound another key; such a match is dropped later, so nothing is certain yet.
        return Left(frozenset() if left.may_be_empty else left.variables)

    def tied_leaf(self, leaf: Leaf, left: Left) -> Left:
        self.anchored.add(leaf.alias)
        bound = self.ties.bound_by(leaf)
        return Left(bound if left.may_be_empty else bound | left.variables)

    def is_tied_by_joint(self, chain: Chain, index: int) -> bool:
        """`p ->{θ} q`: q is the first event of θ, which has the key of p, if there must be a p."""
        condition = chain.joints[index - 1].condition if index else None
        has_left = not all(can_be_empty(element) for element in chain.elements[:index])
        return has_left and condition is not None and self.ties.holds_only_for_key(condition)

    def is_tied_afterwards(self, leaf: Leaf) -> bool:
        return any((leaf.alias, other) in self.afterwards for other in self.anchored)

    def chain(self, chain: Chain, left: Left, *, ask_afterwards: bool) -> Left:
        here = left
        leads = [(id(element), lead) for lead, element in leads_of(chain)]
        for index, element in enumerate(chain.elements):
            joint = chain.joints[index - 1] if index else None
            if joint is not None:
                self.joint(joint, here.taken())
            may_ask = ask_afterwards and (joint is None or joint.kind != "->")
            if isinstance(element, Leaf) and self.is_tied_by_joint(chain, index):
                behind = self.tied_leaf(element, here)
            else:
                behind = self.visit(element, here, ask_afterwards=may_ask)
            for lead in (lead for number, lead in leads if number == id(element)):
                absent = (*lead.absent, *(() if lead.wait is None else (lead.wait.absent,)))
                self.absent(absent, behind.taken())
            here = behind.or_without(here) if can_be_empty(element) else behind
        if chain.tail is not None:
            self.absent((chain.tail.absent,), here.taken())
        return here

    def joint(self, joint: Joint, left: Left) -> None:
        if joint.condition is not None:
            self.site(joint.condition, "->{…}")
        wait = () if joint.wait is None else (joint.wait.absent,)
        self.absent((*joint.absent, *joint.absent_next, *wait), left)

    def absent(self, parts: tuple[Normal, ...], left: Left) -> None:
        for part in parts:
            self.visit(part, left, ask_afterwards=False)

    def site(self, condition: Expression, what: str) -> None:
        """A condition that any event of the streams may satisfy."""
        if not self.ties.holds_only_for_key(condition):
            reason = f"the condition of {what} also holds for events of other keys"
            refuse(reason, condition.at)

    def repeated(self, node: Repeated, left: Left) -> Left:
        if node.until is not None:
            self.site(node.until, "UNTIL")
        once = self.visit(node.part, left, ask_afterwards=False)
        if node.high == 1:
            return once
        if node.by is None:  # BY &: repetitions are found apart and must agree on variables
            if left.may_be_empty and not once.variables:
                reason = "the repetitions BY & share no variable that is the key"
                refuse(reason, place_of_kind(self.subscription, Repeat))
            return once
        self.joint(node.by, once.taken())
        self.visit(node.part, once.taken(), ask_afterwards=False)
        return once

    def counted(self, node: Counted, left: Left) -> Left:
        """`nth` counts apart for each value of its variables, or from what stands to its left."""
        behind = self.visit(node.part, left, ask_afterwards=False)
        if left.may_be_empty and behind.variables.isdisjoint(node.variables):
            reason = f"nth({node.index}, …) counts the matches of all keys together"
            refuse(reason, place_of_kind(self.subscription, Nth))
        return behind

    def both(self, node: Both, left: Left) -> Left:
        """The sides of `&` do not see each other: they meet in what is left of them, or agree."""
        found = [self.visit(part, left, ask_afterwards=False) for part in node.parts]
        common = frozenset.intersection(*(one.variables for one in found))
        if left.may_be_empty and not common:
            reason = "the sides of '&' share no variable that is the key"
            refuse(reason, place_of_kind(self.subscription, Conjunction))
        certain = (
            one.variables
            for part, one in zip(node.parts, found, strict=True)
            if not can_be_empty(part)
        )
        return Left(common.union(*certain))
