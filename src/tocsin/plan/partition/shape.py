"""Walks over the normal form that every proof needs: its sites, its absences, its places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tocsin.language.normal import (
    Both,
    Bounded,
    Chain,
    Counted,
    Either,
    Guard,
    Joint,
    Lead,
    Leaf,
    Normal,
    NormalSubscription,
    Repeated,
    Silence,
    can_be_empty,
)
from tocsin.language.tree import Atom, Expression, Limit
from tocsin.language.variables import walk


@dataclass(frozen=True, slots=True)
class Site:
    """A condition that some event may satisfy: of an atom, of `->{…}` or of UNTIL.

    `alias` and `stream` are those of an atom; `stream` is None where any stream will do.
    """

    condition: Expression
    alias: str | None = None
    stream: str | None = None


def nodes_of(node: Normal | Joint) -> Iterator[Normal | Joint]:
    """Yield a part, its joints and all parts below it in the order of the text, absent ones too."""
    yield node
    for below in _below(node):
        yield from nodes_of(below)


def _below(node: Normal | Joint) -> Iterator[Normal | Joint]:
    match node:
        case Chain():
            yield from _absent(node.lead)
            yield node.elements[0]
            for joint, element in zip(node.joints, node.elements[1:], strict=True):
                yield joint
                yield element
            yield from () if node.tail is None else (node.tail.absent,)
        case Joint():
            yield from node.absent_next
            yield from _absent(node)
        case Repeated():
            yield node.part
            yield from () if node.by is None else (node.by,)
        case Guard() | Bounded() | Counted():
            yield node.part
        case Both() | Either():
            yield from node.parts
        case Silence():
            yield node.absent


def _absent(node: Lead | Joint | None) -> Iterator[Normal]:
    if node is not None:
        yield from node.absent
        yield from () if node.wait is None else (node.wait.absent,)


def sites_of(pattern: Normal) -> Iterator[Site]:
    """Yield every condition on events of a pattern; absent atoms count like others."""
    for node in nodes_of(pattern):
        match node:
            case Leaf():
                yield Site(node.condition, node.alias, node.stream)
            case Joint(condition=condition) if condition is not None:
                yield Site(condition)
            case Repeated(until=until) if until is not None:
                yield Site(until)


def leaves_of(pattern: Normal) -> Iterator[Leaf]:
    """Yield all atoms, absent ones included."""
    return (node for node in nodes_of(pattern) if isinstance(node, Leaf))


def leads_of(chain: Chain) -> Iterator[tuple[Lead, Normal]]:
    """Yield what is sought from the start on, with the element it stands before.

    `p? ; !q ; r` without p is `!q ; r`.
    """
    if chain.lead is not None:
        yield chain.lead, chain.elements[0]
    for index, joint in enumerate(chain.joints):
        if not can_be_empty(chain.elements[index]):
            return
        if joint.absent or joint.wait is not None:
            yield Lead(joint.absent, joint.wait), chain.elements[index + 1]


def counts_positions(subscription: NormalSubscription) -> bool:
    """Say whether it matters which events stand between two others, and not only their order."""
    return is_contiguous(subscription.pattern) or any(
        isinstance(node, Limit) and node.unit == "events" for node in _limits(subscription)
    )


def is_contiguous(pattern: Normal) -> bool:
    """Say whether a pattern asks for the very next event."""
    return any(
        isinstance(node, Joint) and (node.kind == "," or node.absent_next != ())
        for node in nodes_of(pattern)
    )


def _limits(subscription: NormalSubscription) -> Iterator[object]:
    yield subscription.tree.within
    yield from (node.limit for node in nodes_of(subscription.pattern) if isinstance(node, Bounded))


def waits_for_clock(pattern: Normal) -> bool:
    """Say whether a match may complete without an event."""
    return isinstance(pattern, Silence) or any(
        isinstance(node, Chain) and node.tail is not None for node in nodes_of(pattern)
    )


def looks_at_start(pattern: Normal) -> bool:
    """Say whether it matters when the stream began: `!q FOR T ; p`, and silence."""
    return isinstance(pattern, Silence) or any(
        lead.wait is not None
        for node in nodes_of(pattern)
        if isinstance(node, Chain)
        for lead, _ in leads_of(node)
    )


def place_of_leaf(subscription: NormalSubscription, number: int) -> int:
    """Return where an atom stands in the text, -1 where that is not known."""
    atoms = [node for node in walk(subscription.tree.pattern) if isinstance(node, Atom)]
    return atoms[number].at if number < len(atoms) else -1


def place_of_kind(subscription: NormalSubscription, *kinds: type) -> int:
    """Return where the first node of a kind stands in the text, else where all begins."""
    found = (node for node in walk(subscription.tree.pattern) if isinstance(node, kinds))
    return getattr(next(found, subscription.tree), "at", -1)
