"""How many events of its key a match may have, where each is the very next one of that key.

Such a match is a run of neighbours among the events of its key. So a slice of time that also has,
of each key, as many events from before it as a match may take there sees every match that completes
in it, and no event that follows another one in the slice but not in the whole.
"""

from __future__ import annotations

from collections.abc import Iterable

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
    openings,
)
from tocsin.language.tree import Expression
from tocsin.plan.partition.ties import Key, Ties
from tocsin.plan.predicates.split import conjuncts


def key_reach_of(subscription: NormalSubscription, key: Key, *, unordered: bool) -> int | None:
    """Return how many events a match may have, None where they need not follow one another.

    Parameters
    ----------
    key
        One by which the subscription may be split: all events of a match have the same.
    unordered
        Whether the engine runs with `simultaneous="unordered"`: then simultaneous events of the key
        lie between two that follow one another.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE s FROM bids MATCH a:[who = $x] ->{who = $x} b:[price < a.price]")
    >>> (subscription,) = LiveProgram(program).normal(program.subscriptions)
    >>> key_reach_of(subscription, {"bids": "who"}, unordered=False)
    2
    """
    tree = subscription.tree
    looks_across = tree.pairs != "ALL" or tree.limit is not None
    if unordered or looks_across or len(subscription.sources) > 1:
        return None
    return _Reach(Ties.of(subscription, key)).of(subscription.pattern)


def chain_reasons(events: int) -> tuple[str, ...]:
    """Return why slices with the last events of each key are exact, in sentences."""
    return (
        f"Each event of a match is the very next one of its key, and a match has at most {events}, "
        "so that a slice of time needs no more of a key from before it than "
        f"{last_events(events - 1)}.",
    )


def last_events(count: int) -> str:
    """Return so many events in words.

    Examples
    --------
    >>> last_events(1), last_events(2)
    ('the last event', 'the last 2 events')
    """
    return "the last event" if count == 1 else f"the last {count} events"


class _Reach:
    """The walk: the most events of each part."""

    def __init__(self, ties: Ties) -> None:
        self.ties = ties

    def of(self, node: Normal) -> int | None:
        match node:
            case Leaf():
                return 1
            case Guard() | Bounded():
                return self.of(node.part)
            case Either():
                most = [self.of(part) for part in node.parts]
                return None if None in most else max(_known(most))
            case Chain():
                return self.of_chain(node)
            case Repeated():
                return self.of_repeated(node)
            case Both() | Counted() | Silence():
                return None

    def of_chain(self, chain: Chain) -> int | None:
        joined = zip(chain.joints, chain.elements[1:], strict=True)
        are_next = all(self.is_next(joint, element) for joint, element in joined)
        most = [self.of(element) for element in chain.elements]
        if chain.lead is not None or chain.tail is not None or not are_next or None in most:
            return None
        return sum(_known(most))

    def of_repeated(self, node: Repeated) -> int | None:
        most = self.of(node.part)
        if most is None or node.high is None or node.until is not None:
            return None
        if node.high > 1 and (node.by is None or not self.is_next(node.by, node.part)):
            return None
        return node.high * most

    def is_next(self, joint: Joint, element: Normal) -> bool:
        """Say whether an element begins with the very next event of the key."""
        if joint.kind != "->" or joint.absent or joint.absent_next or joint.wait is not None:
            return False
        if joint.condition is not None:
            return self.asks_for_key_alone(joint.condition, None, None)
        return all(
            self.asks_for_key_alone(leaf.condition, leaf.stream, leaf.alias)
            for leaf in openings(element)
        )

    def asks_for_key_alone(
        self, condition: Expression, stream: str | None, own: str | None
    ) -> bool:
        """Say whether a condition holds for all events of the key, or else for none at all.

        It holds for none where it names an event that was not taken, or a variable that was not
        bound: then no match goes on there, in a slice as in the whole.
        """
        return all(
            self.ties.asks_for_key(conjunct, stream, own) for conjunct in conjuncts(condition)
        )


def _known(most: Iterable[int | None]) -> list[int]:
    return [one for one in most if one is not None]
