"""Whether slices of time give the same answers, and how much they must overlap.

A match without leading absences is decided by the events from its first position on, and all of
these are in a slice that goes back as far as a match can reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tocsin.language.normal import (
    Both,
    Bounded,
    Chain,
    Counted,
    Either,
    Guard,
    Leaf,
    Normal,
    NormalSubscription,
    Repeated,
    Silence,
    can_be_empty,
)
from tocsin.language.tree import Absence, Nth
from tocsin.model.durations import format_duration
from tocsin.plan.partition.nodes import Overlap
from tocsin.plan.partition.reach import Reach, delay_of, reach_of
from tocsin.plan.partition.refused import RefusedError, refuse
from tocsin.plan.partition.shape import is_contiguous, leads_of, place_of_kind


def overlap_of(subscription: NormalSubscription, *, unordered: bool) -> Overlap:
    """Return what a slice needs from before it for one subscription.

    Parameters
    ----------
    unordered
        Whether the engine runs with `simultaneous="unordered"`.

    Raises
    ------
    RefusedError
        Slices are not exact.
    """
    _check_policies(subscription)
    pattern, tree = subscription.pattern, subscription.tree
    if isinstance(pattern, Silence):
        return _of_silence(subscription, pattern)
    before = _before(subscription, pattern)
    reach = reach_of(pattern)
    if unordered and is_contiguous(pattern):
        # The next event is one that begins when this one is over; any number may last meanwhile.
        reach = replace(reach, events=None)
    reach = reach.limited(tree.within)
    if before:
        return _with_lead(subscription, reach, before)
    delay = delay_of(pattern)
    if reach.span_us is not None:
        return Overlap(reach.span_us + delay, is_alone=reach.events == 1 and not delay)
    if reach.events is not None:
        return Overlap(delay, reach.events - 1)
    reason = "a match may last for any time; add WITHIN 1 hour, say"
    raise RefusedError(reason, tree.at)


def overlap_of_unit(
    subscriptions: Sequence[NormalSubscription], overlaps: Mapping[str, Overlap]
) -> Overlap:
    """Return what a slice needs where subscriptions read what others derive: spans add up.

    Raises
    ------
    RefusedError
        An overlap counts events, and how long ago derived ones began is not known.
    """
    if len(subscriptions) == 1:
        return overlaps[subscriptions[0].tree.name]
    for one in subscriptions:
        if overlaps[one.tree.name].events:
            reason = "its window counts events next to derived streams; add WITHIN 1 hour, say"
            refuse(reason, one.tree.at)
    totals: dict[str, int] = {}

    def total(one: NormalSubscription) -> int:
        if one.tree.name not in totals:
            producers = (other for other in subscriptions if other.tree.into in one.sources)
            before = max(map(total, producers), default=0)
            totals[one.tree.name] = overlaps[one.tree.name].span_us + before
        return totals[one.tree.name]

    are_alone = all(overlaps[one.tree.name].is_alone for one in subscriptions)
    return Overlap(max(map(total, subscriptions)), is_alone=are_alone)


def reasons_of(overlap: Overlap) -> tuple[str, ...]:
    """Return why slices with an overlap are exact, in sentences."""
    if overlap.is_alone:
        return ("Every event is judged alone, so that rows may stay where they lie.",)
    events = f" and {overlap.events} events further" if overlap.events else ""
    return (
        f"No match that completes in a slice needs an event from before {_span(overlap.span_us)}"
        f"{events} back, and each completes in exactly one slice.",
        "Nothing counts from the start of the stream, and no policy looks across slices.",
    )


def _span(span_us: int) -> str:
    return format_duration(span_us) if span_us else "its begin"


def _check_policies(subscription: NormalSubscription) -> None:
    tree = subscription.tree
    if tree.pairs != "ALL":
        reason = f"PAIRS {tree.pairs} depends on every match that was kept before"
        refuse(reason, tree.at)
    if tree.limit is not None:
        refuse("LIMIT counts matches from the start of the stream", tree.limit.at)


def _of_silence(subscription: NormalSubscription, node: Silence) -> Overlap:
    at = place_of_kind(subscription, Absence)
    if node.every is not None:
        refuse("EVERY reports silence however long ago the last event was", at)
    if _before(subscription, node.absent):
        refuse("what must stay silent begins with an absence of its own", at)
    reach = reach_of(node.absent).span_us
    if reach is None:
        refuse("what must stay silent may last for any time; add a WITHIN to it", at)
    return Overlap(reach + node.duration + delay_of(node.absent))


def _with_lead(subscription: NormalSubscription, reach: Reach, before: int) -> Overlap:
    """`!q FOR T ; p` looks back from the begin of p, which lies before p's end if p lasts."""
    if reach.whole_us is None:
        reason = "'!q FOR T' looks back from a begin that no WITHIN bounds; add WITHIN 1 hour, say"
        refuse(reason, place_of_kind(subscription, Absence))
    return Overlap(reach.whole_us + delay_of(subscription.pattern) + before)


def _before(subscription: NormalSubscription, pattern: Normal) -> int:
    """Return how long before its begin a pattern looks, and refuse what looks at everything."""
    return max(_looks_back(subscription, pattern, has_left=False), default=0)


def _looks_back(subscription: NormalSubscription, node: Normal, *, has_left: bool) -> Iterator[int]:
    match node:
        case Leaf():
            return
        case Counted():
            if not has_left:
                reason = f"nth({node.index}, …) counts from the start of the stream"
                refuse(reason, place_of_kind(subscription, Nth))
            yield from _looks_back(subscription, node.part, has_left=True)
        case Repeated() | Guard() | Bounded():
            yield from _looks_back(subscription, node.part, has_left=has_left)
        case Both() | Either():
            for part in node.parts:
                yield from _looks_back(subscription, part, has_left=has_left)
        case Chain():
            yield from _chain_looks_back(subscription, node, has_left=has_left)
        case Silence():
            yield from _looks_back(subscription, node.absent, has_left=False)


def _chain_looks_back(
    subscription: NormalSubscription, chain: Chain, *, has_left: bool
) -> Iterator[int]:
    at = place_of_kind(subscription, Absence)
    for lead, _ in leads_of(chain):
        if lead.absent:
            refuse("a leading '!q' looks back to the start of the stream", at)
        if lead.wait is not None:
            _check_absent(subscription, lead.wait.absent, has_left=False)
            yield lead.wait.duration
    for index, element in enumerate(chain.elements):
        if index:
            _check_joint(subscription, chain, index - 1)
        yield from _looks_back(subscription, element, has_left=has_left)
        has_left = has_left or not can_be_empty(element)
    if chain.tail is not None:
        _check_absent(subscription, chain.tail.absent, has_left=True)


def _check_joint(subscription: NormalSubscription, chain: Chain, index: int) -> None:
    joint = chain.joints[index]
    absent = [*joint.absent, *joint.absent_next]
    absent += [] if joint.wait is None else [joint.wait.absent]
    for part in absent:
        _check_absent(subscription, part, has_left=True)


def _check_absent(subscription: NormalSubscription, part: Normal, *, has_left: bool) -> None:
    if any(True for _ in _looks_back(subscription, part, has_left=has_left)):
        reason = "an absent part begins with an absence of its own"
        refuse(reason, place_of_kind(subscription, Absence))
