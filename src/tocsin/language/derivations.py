"""Which streams are derived from which, so that a circle is found without asking everybody."""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.language.tree import Subscription


class Derivations:
    """From each stream to those that subscriptions derive from it.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> text = "SUBSCRIBE up FROM a MATCH [v > 1] EMIT 1 AS v INTO b"
    >>> back = "SUBSCRIBE down FROM b MATCH [v > 1] EMIT 1 AS v INTO a"
    >>> derivations = Derivations()
    >>> derivations.add(parse(text).subscriptions[0])
    >>> derivations.is_circular(parse(back).subscriptions[0])
    True
    """

    __slots__ = ("_fed_by",)

    def __init__(self, subscriptions: Iterable[Subscription] = ()) -> None:
        self._fed_by: dict[str, dict[str, int]] = {}  # how many subscriptions lead there
        for subscription in subscriptions:
            self.add(subscription)

    def add(self, subscription: Subscription) -> None:
        """Note what a subscription derives."""
        if subscription.into is not None:
            for source in subscription.sources:
                fed = self._fed_by.setdefault(source, {})
                fed[subscription.into] = fed.get(subscription.into, 0) + 1

    def remove(self, subscription: Subscription) -> None:
        """Forget what a subscription derived."""
        if subscription.into is not None:
            for source in subscription.sources:
                self._leave(source, subscription.into)

    def _leave(self, source: str, into: str) -> None:
        fed = self._fed_by[source]
        fed[into] -= 1
        if not fed[into]:
            del fed[into]
        if not fed:
            del self._fed_by[source]

    def is_circular(self, subscription: Subscription) -> bool:
        """Say whether a subscription reads what it feeds, through others or directly."""
        reached: set[str] = set()
        new = set() if subscription.into is None else {subscription.into}
        while new:
            reached |= new
            new = {into for stream in new for into in self._fed_by.get(stream, ())} - reached
        return not reached.isdisjoint(subscription.sources)
