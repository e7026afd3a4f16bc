"""Subscriptions that must stay together, and every strategy that is exact for them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tocsin.language.normal import NormalSubscription
from tocsin.language.tree import Subscription, Vague
from tocsin.language.variables import walk
from tocsin.plan.partition.by_time import overlap_of, overlap_of_unit, reasons_of
from tocsin.plan.partition.key_candidates import candidate_keys
from tocsin.plan.partition.key_policies import check_key
from tocsin.plan.partition.key_reach import key_reach_of
from tocsin.plan.partition.needs import needs_of
from tocsin.plan.partition.nodes import Choice, Refusal, Strategy, Unit
from tocsin.plan.partition.refused import RefusedError, refuse
from tocsin.plan.partition.shape import sites_of, waits_for_clock
from tocsin.plan.partition.ties import Key


def together(subscriptions: Sequence[NormalSubscription]) -> list[list[NormalSubscription]]:
    """Return the subscriptions in lists: who reads what another derives is in the list of that."""
    lists: list[list[int]] = [[index] for index in range(len(subscriptions))]
    derived_by: dict[str, list[int]] = {}
    for index, one in enumerate(subscriptions):
        if one.tree.into is not None:
            derived_by.setdefault(one.tree.into, []).append(index)
    for index, one in enumerate(subscriptions):
        for stream in one.sources:
            for producer in derived_by.get(stream, ()):
                _join(lists, index, producer)
    distinct = {id(found): sorted(found) for found in lists}
    return [[subscriptions[index] for index in found] for found in distinct.values()]


def _join(lists: list[list[int]], one: int, other: int) -> None:
    if lists[one] is not lists[other]:
        merged = lists[one] + lists[other]
        for index in merged:
            lists[index] = merged


@dataclass(frozen=True)
class Judge:
    """Says which strategies are exact.

    Attributes
    ----------
    source
        The text of the program, for lines and columns.
    unordered
        Whether events with equal end times never follow one another.
    """

    source: str
    unordered: bool

    def unit(self, subscriptions: list[NormalSubscription]) -> Unit:
        """Return what is allowed for subscriptions that must stay together, and what is not."""
        derived = {one.tree.into for one in subscriptions if one.tree.into is not None}
        choices: list[Choice] = []
        refusals: list[Refusal] = []
        for found in (
            *self._by_key(subscriptions, derived),
            *self._by_time(subscriptions),
            *_always(subscriptions),
        ):
            if isinstance(found, Choice):
                choices.append(found)
            else:
                refusals.append(found)
        return Unit(
            tuple(one.tree.name for one in subscriptions),
            tuple(choices),
            tuple(dict.fromkeys(refusals)),
            needs_of(subscriptions, derived=derived, unordered=self.unordered),
        )

    def _by_key(
        self, subscriptions: list[NormalSubscription], derived: set[str]
    ) -> Iterator[Choice | Refusal]:
        candidates = candidate_keys(subscriptions)
        if not candidates:
            first = subscriptions[0].tree
            reason = "no attribute is asked to be equal in all its atoms"
            yield self._refusal(Strategy.BY_KEY, first, RefusedError(reason, first.at))
        is_timed = any(waits_for_clock(one.pattern) for one in subscriptions)
        for key in candidates:
            refused = None
            for one in subscriptions:
                try:
                    _check_degrees(one)
                    check_key(
                        one, key, derived=derived, unordered=self.unordered, is_timed=is_timed
                    )
                except RefusedError as error:
                    refused = self._refusal(Strategy.BY_KEY, one.tree, error, key)
                    break
            yield refused or self._keyed(subscriptions, key)

    def _keyed(self, subscriptions: list[NormalSubscription], key: Key) -> Choice:
        """Return a choice that was proved; where one reads what another derives, it is no chain."""
        chain = None
        if len(subscriptions) == 1:
            chain = key_reach_of(subscriptions[0], key, unordered=self.unordered)
        return Choice(Strategy.BY_KEY, tuple(sorted(key.items())), None, _key_reasons(key), chain)

    def _by_time(self, subscriptions: list[NormalSubscription]) -> Iterator[Choice | Refusal]:
        one = subscriptions[0]
        try:
            overlaps = {}
            for one in subscriptions:
                _check_degrees(one)
                overlaps[one.tree.name] = overlap_of(one, unordered=self.unordered)
            overlap = overlap_of_unit(subscriptions, overlaps)
        except RefusedError as error:
            yield self._refusal(Strategy.BY_TIME, one.tree, error)
        else:
            yield Choice(Strategy.BY_TIME, (), overlap, reasons_of(overlap))

    def _refusal(
        self, strategy: Strategy, tree: Subscription, error: RefusedError, key: Key | None = None
    ) -> Refusal:
        with_key = "" if key is None else f"with the key {key_text(key)}, "
        line, column = self._place(error.at) if self.source and error.at >= 0 else (0, 0)
        return Refusal(strategy, tree.name, f"{with_key}{error.reason}", line, column)

    def _place(self, at: int) -> tuple[int, int]:
        line = bisect_right(self._line_begins, at)
        return line, at - self._line_begins[line - 1] + 1

    @cached_property
    def _line_begins(self) -> list[int]:
        """There may be a refusal for each of many subscriptions, so lines are counted once."""
        ends = (at for at, sign in enumerate(self.source) if sign == "\n")
        return [0, *(at + 1 for at in ends)]


def key_text(key: Key) -> str:
    """Return a key as people write it.

    Examples
    --------
    >>> key_text({"logins": "ip", "files": "address"})
    'files.address = logins.ip'
    """
    return " = ".join(sorted(f"{stream}.{attribute}" for stream, attribute in key.items()))


def _key_reasons(key: Key) -> tuple[str, ...]:
    return (
        f"Every event that a match takes, forbids or looks for has the key {key_text(key)} of that "
        "match, so events of other keys neither complete it nor prevent it.",
        "Policies keep or drop matches of one key for their own sake.",
    )


def _always(subscriptions: list[NormalSubscription]) -> Iterator[Choice]:
    """Subscriptions that share no derived stream know nothing of each other."""
    alone = "Subscriptions that read no derived stream of each other know nothing of each other."
    kept = " Those of this unit stay together." if len(subscriptions) > 1 else ""
    yield Choice(Strategy.BY_SHARD, (), None, (alone + kept,))
    yield Choice(Strategy.SINGLE, (), None, ("One engine reads the whole stream.",))


def _check_degrees(subscription: NormalSubscription) -> None:
    tree = subscription.tree
    if tree.predict is not None:
        refuse("PREDICT counts over the whole stream", tree.predict.at)
    is_vague = any(
        isinstance(node, Vague)
        for site in sites_of(subscription.pattern)
        for node in walk(site.condition)
    )
    if is_vague or tree.accept is not None or tree.combine is not None:
        refuse("no proof covers vague predicates yet", tree.at)
