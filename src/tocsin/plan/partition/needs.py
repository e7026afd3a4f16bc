"""What subscriptions need of the stream: which events, which attributes, positions and clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from tocsin.language.normal import NormalSubscription, Repeated
from tocsin.language.tree import (
    Aggregate,
    And,
    Attribute,
    Comparison,
    Expression,
    Literal,
    OfEvent,
    Or,
    Parameter,
    Presence,
    Vague,
)
from tocsin.language.variables import walk
from tocsin.plan.partition.nodes import Needs, StreamNeeds
from tocsin.plan.partition.shape import (
    Site,
    counts_positions,
    is_contiguous,
    leaves_of,
    looks_at_start,
    sites_of,
    waits_for_clock,
)
from tocsin.plan.predicates.split import conjuncts, split_condition

MOST_ALTERNATIVES: Final = 128
"""A condition with more alternatives is not worth its evaluation and made weaker."""
MOST_VALUES: Final = 16
"""Then a condition on the same attributes with more values than this is left out."""

_TRUE: Final = Literal(True)


def needs_of(
    subscriptions: Sequence[NormalSubscription], *, derived: AbstractSet[str], unordered: bool
) -> Needs:
    """Return what some subscriptions need of the stream."""
    streams = dict.fromkeys(stream for one in subscriptions for stream in one.sources)
    counted = [one.sources for one in subscriptions if counts_positions(one)]
    return Needs(
        streams={
            stream: StreamNeeds(
                _condition(subscriptions, stream, derived, unordered=unordered),
                _columns(subscriptions, stream),
            )
            for stream in streams
        },
        positions=tuple(dict.fromkeys(tuple(sorted(s)) for s in counted if derived.isdisjoint(s))),
        start=any(looks_at_start(one.pattern) for one in subscriptions),
        clock=any(waits_for_clock(one.pattern) for one in subscriptions),
    )


def joined_needs(needs: Iterable[Needs]) -> Needs:
    """Return what is enough for several groups of subscriptions."""
    every = list(needs)
    streams = dict.fromkeys(stream for one in every for stream in one.streams)
    return Needs(
        streams={
            stream: _joined([one.streams[stream] for one in every if stream in one.streams])
            for stream in streams
        },
        positions=tuple(dict.fromkeys(union for one in every for union in one.positions)),
        start=any(one.start for one in every),
        clock=any(one.clock for one in every),
    )


def _joined(needs: list[StreamNeeds]) -> StreamNeeds:
    columns = sorted({column for one in needs for column in one.columns})
    conditions = [_TRUE if one.condition is None else one.condition for one in needs]
    return StreamNeeds(_either(conditions), tuple(columns))


def _condition(
    subscriptions: Sequence[NormalSubscription],
    stream: str,
    derived: AbstractSet[str],
    *,
    unordered: bool,
) -> Expression | None:
    readers = [one for one in subscriptions if stream in one.sources]
    if any(_counts_itself(one, derived, unordered=unordered) for one in readers):
        return None
    return _either(
        alone(site)
        for one in readers
        for site in sites_of(one.pattern)
        if site.stream is None or site.stream == stream
    )


def _counts_itself(
    subscription: NormalSubscription, derived: AbstractSet[str], *, unordered: bool
) -> bool:
    """Say whether positions cannot be counted beforehand, so that every event is needed."""
    if not derived.isdisjoint(subscription.sources):
        return counts_positions(subscription)
    return unordered and is_contiguous(subscription.pattern)


def _either(conditions: Iterable[Expression]) -> Expression | None:
    """Return the OR of conditions, or less where it is too long; None where it always holds."""
    parts: dict[Expression, None] = {}
    for condition in conditions:
        inner = condition.parts if isinstance(condition, Or) else (condition,)
        parts.update(dict.fromkeys(inner))
    parts.pop(Literal(False), None)
    if len(parts) > MOST_ALTERNATIVES:
        parts = _weaker(list(parts))
    if _TRUE in parts or len(parts) > MOST_ALTERNATIVES:
        return None
    if len(parts) > 1:
        return Or(tuple(parts))
    return next(iter(parts), Literal(False))


def _weaker(alternatives: list[Expression]) -> dict[Expression, None]:
    """Leave out conditions that ask the same attributes for many different values."""
    kinds: dict[object, set[Expression]] = {}
    for part in (part for one in alternatives for part in conjuncts(one)):
        kinds.setdefault(_kind(part), set()).add(part)
    few = {kind for kind, parts in kinds.items() if len(parts) <= MOST_VALUES}
    kept = ([part for part in conjuncts(one) if _kind(part) in few] for one in alternatives)
    return {_all_of(parts): None for parts in kept}


def _kind(condition: Expression) -> object:
    return (type(condition), *_attributes(condition))


def _all_of(parts: Iterable[Expression]) -> Expression:
    distinct = tuple(dict.fromkeys(parts))
    if not distinct:
        return _TRUE
    return distinct[0] if len(distinct) == 1 else And(distinct)


def alone(site: Site) -> Expression:
    """Return what an event must satisfy whatever else was matched; `TRUE` where nothing is known.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> from tocsin.language.printer import to_text
    >>> to_text(alone(Site(parse_expression("status = 'denied' AND ip = $x"))))
    "status = 'denied' AND ip IS PRESENT"
    """
    split = split_condition(site.condition, own=site.alias)
    known = [part for part in conjuncts(split.static) if _is_sayable(part) and part != _TRUE]
    present = [
        Presence(side, True)
        for part in split.dynamic
        if isinstance(part, Comparison)
        for side in (part.left, part.right)
        if isinstance(side, Attribute)  # a comparison with a missing value is false
    ]
    return _all_of([*known, *present])


def _is_sayable(condition: Expression) -> bool:
    """Parameters have no value yet, degrees no truth, and a row has no attribute called `$end`."""
    return not any(
        isinstance(node, Parameter | Vague)
        or (isinstance(node, Attribute) and node.name.startswith("$"))
        for node in walk(condition)
    )


def _columns(subscriptions: Sequence[NormalSubscription], stream: str) -> tuple[str, ...]:
    readers = (one for one in subscriptions if stream in one.sources)
    return tuple(sorted({name for one in readers for name in columns_read(one, stream)}))


def columns_read(subscription: NormalSubscription, stream: str) -> Iterator[str]:
    """Yield the attributes that a subscription reads of a stream, some of them several times."""
    for site in sites_of(subscription.pattern):
        if site.stream is None or site.stream == stream:
            yield from _attributes(site.condition)
    aliases = {
        leaf.alias for leaf in leaves_of(subscription.pattern) if leaf.stream in {None, stream}
    }
    emitted = tuple(item.expression for item in subscription.tree.emit)
    for node in walk((subscription.pattern, subscription.where, emitted)):
        match node:
            case OfEvent(event, attribute) if event.alias in aliases:
                yield attribute
            case Aggregate(alias=alias, attribute=str(attribute)) if alias in aliases:
                yield attribute
            case Repeated(step=(attribute, _)):
                yield attribute


def _attributes(condition: Expression) -> Iterator[str]:
    return (node.name for node in walk(condition) if isinstance(node, Attribute))
