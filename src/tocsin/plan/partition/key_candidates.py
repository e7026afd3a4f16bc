"""Which attributes of which streams could be the key: those that equalities tie together.

This only proposes; `by_key` proves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final, TypeAlias

from tocsin.language.normal import Guard, Leaf, NormalSubscription
from tocsin.language.tree import Expression, OfEvent, Variable
from tocsin.language.tree.naming import emitted_name
from tocsin.plan.partition.shape import leaves_of, nodes_of, sites_of
from tocsin.plan.partition.ties import Key, equalities, own_attribute

# A variable of a subscription, or an attribute of a stream.
_Term: TypeAlias = tuple[str, str, str]

MOST_CANDIDATES: Final = 64
"""More combinations of attributes than this are not tried."""


def candidate_keys(subscriptions: Sequence[NormalSubscription]) -> list[Key]:
    """Return the keys that a unit could be split by, in the order of the text.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE s FROM logins MATCH a:[ip = $x] ; b:[ip = $x]")
    >>> candidate_keys(LiveProgram(program).normal(program.subscriptions))
    [{'logins': 'ip'}]
    """
    needed = _streams_with_sites(subscriptions)
    found: list[Key] = []
    for group in _classes(subscriptions):
        choices = [
            [(name, term[2]) for term in group if term[:2] == ("stream", name)] for name in needed
        ]
        found += [dict(choice) for choice in islice(product(*choices), MOST_CANDIDATES)]
    return [key for key in found if key]


def _streams_with_sites(subscriptions: Sequence[NormalSubscription]) -> list[str]:
    return list(
        dict.fromkeys(
            stream
            for one in subscriptions
            for site in sites_of(one.pattern)
            for stream in (one.sources if site.stream is None else (site.stream,))
        )
    )


def _classes(subscriptions: Sequence[NormalSubscription]) -> list[list[_Term]]:
    """Return the terms that equalities tie together, each class in the order of the text."""
    class_of: dict[_Term, list[_Term]] = {}
    for one in subscriptions:
        for tied in _tied(one):
            old = {id(group): group for term in tied if (group := class_of.get(term))}
            terms = [term for group in old.values() for term in group]
            merged = list(dict.fromkeys([*terms, *tied]))
            class_of.update(dict.fromkeys(merged, merged))
    return list({id(group): group for group in class_of.values()}.values())


def _tied(subscription: NormalSubscription) -> Iterator[list[_Term]]:
    for leaf in leaves_of(subscription.pattern):
        for left, right in equalities(leaf.condition):
            yield from _pair(_terms(subscription, left, leaf), _terms(subscription, right, leaf))
    conditions = [subscription.where] if subscription.where is not None else []
    conditions += [
        node.condition for node in nodes_of(subscription.pattern) if isinstance(node, Guard)
    ]
    for condition in conditions:
        for left, right in equalities(condition):
            yield from _pair(_terms(subscription, left, None), _terms(subscription, right, None))
    for item in subscription.tree.emit if subscription.tree.into is not None else ():
        emitted = ("stream", str(subscription.tree.into), emitted_name(item))
        yield from _pair([emitted], _terms(subscription, item.expression, None))


def _pair(left: list[_Term], right: list[_Term]) -> list[list[_Term]]:
    """An equality with a constant, or with something computed, ties nothing."""
    return [left + right] if left and right else []


def _terms(
    subscription: NormalSubscription, expression: Expression, leaf: Leaf | None
) -> list[_Term]:
    """Return what an expression stands for: a variable, or an attribute in one or more streams."""
    if isinstance(expression, Variable):
        return [("variable", subscription.tree.name, expression.name)]
    if leaf is not None and (name := own_attribute(expression, leaf.alias)) is not None:
        return [("stream", stream, name) for stream in _streams(subscription, leaf)]
    if isinstance(expression, OfEvent):
        leaves = leaves_of(subscription.pattern)
        alias, attribute = expression.event.alias, expression.attribute
        return [
            ("stream", stream, attribute)
            for other in leaves
            if other.alias == alias
            for stream in _streams(subscription, other)
        ]
    return []


def _streams(subscription: NormalSubscription, leaf: Leaf) -> tuple[str, ...]:
    return subscription.sources if leaf.stream is None else (leaf.stream,)
