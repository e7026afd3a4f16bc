"""What clauses mean for a split by key, once the pattern is proved."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from tocsin.language.normal import NormalSubscription
from tocsin.language.tree import EmitItem, OfEvent, Variable
from tocsin.language.tree.naming import emitted_name
from tocsin.plan.partition.by_key import prove_by_key
from tocsin.plan.partition.refused import refuse
from tocsin.plan.partition.shape import (
    counts_positions,
    is_contiguous,
    leaves_of,
    waits_for_clock,
)
from tocsin.plan.partition.ties import Key


def check_key(
    subscription: NormalSubscription,
    key: Key,
    *,
    derived: AbstractSet[str],
    unordered: bool,
    is_timed: bool = False,
) -> None:
    """Refuse a key that does not give exactly the answers of one engine.

    Parameters
    ----------
    derived
        The streams that subscriptions of its unit derive.
    is_timed
        Whether the clock may complete a match in its unit.

    Raises
    ------
    RefusedError
        Says what looks across keys.
    """
    held = prove_by_key(subscription, key)
    _check_positions(subscription, derived, unordered=unordered)
    _check_policies(subscription, held)
    if is_timed and not held and not derived.isdisjoint(subscription.sources):
        reason = "events that the clock derives have no row that tells matches of two keys apart"
        refuse(f"{reason}; bind the key to a variable", subscription.tree.at)
    if subscription.tree.into in key:
        _check_emitted(subscription, key, held)


def _check_positions(
    subscription: NormalSubscription, derived: AbstractSet[str], *, unordered: bool
) -> None:
    at = subscription.tree.at
    if unordered and is_contiguous(subscription.pattern):
        reason = "with simultaneous events unordered, the very next event may be of any key"
        refuse(reason, at)
    read = [stream for stream in subscription.sources if stream in derived]
    if read and counts_positions(subscription):
        reason = f"positions in the derived stream '{read[0]}' count the events of all keys"
        refuse(reason, at)


def _check_policies(subscription: NormalSubscription, held: frozenset[str]) -> None:
    tree = subscription.tree
    if tree.duplicates != "ALL" and waits_for_clock(subscription.pattern) and not held:
        reason = f"DUPLICATES {tree.duplicates} compares matches of all keys at one deadline"
        refuse(f"{reason}; bind the key to a variable", tree.at)
    if tree.pairs == "SEPARATE":
        refuse("PAIRS SEPARATE compares with the match kept before, of any key", tree.at)
    if tree.limit is not None and tree.limit.per not in held:
        per = "" if tree.limit.per is None else f" PER ${tree.limit.per}"
        reason = f"LIMIT n{per} counts matches of all keys; only PER the key counts them apart"
        refuse(reason, tree.limit.at)


def _check_emitted(subscription: NormalSubscription, key: Key, held: frozenset[str]) -> None:
    """A derived event must carry the key of the events it was made of."""
    tree = subscription.tree
    wanted = key[str(tree.into)]
    item = next((one for one in tree.emit if emitted_name(one) == wanted), None)
    if item is None or not _is_key(subscription, item, key, held):
        reason = f"its derived events do not carry the key as '{wanted}'"
        refuse(reason, tree.at if item is None else item.at)


def _is_key(
    subscription: NormalSubscription, item: EmitItem, key: Key, held: frozenset[str]
) -> bool:
    match item.expression:
        case Variable(name):
            return name in held
        case OfEvent(event, attribute):
            leaves = [leaf for leaf in leaves_of(subscription.pattern) if leaf.alias == event.alias]
            streams = [
                name
                for leaf in leaves
                for name in (subscription.sources if leaf.stream is None else (leaf.stream,))
            ]
            return all(key.get(name) == attribute for name in streams)
    return False
