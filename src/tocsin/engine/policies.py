"""Which matches are kept: DUPLICATES, PAIRS and LIMIT, in this order, as they come."""

from __future__ import annotations

from collections.abc import Callable, Collection

from tocsin.engine.complete import Complete
from tocsin.engine.state import Place, frozen
from tocsin.language.tree import MatchLimit, Subscription
from tocsin.model.values import Value, join_key

_FEW = 64  # so many used events are kept without a look at which of them still matter


class Policies:
    """What the policies of one subscription have to remember.

    Parameters
    ----------
    tree
        The subscription.
    """

    __slots__ = ("counts", "last_kept", "most_used", "used")

    def __init__(self) -> None:
        self.used: set[int] = set()
        self.most_used = _FEW
        self.last_kept: Place | None = None
        self.counts: dict[object, int] = {}

    def kept(
        self, tree: Subscription, found: list[Complete], oldest: Callable[[], int | None]
    ) -> list[Complete]:
        """Return what is kept of the matches that complete at some places, in order.

        `oldest` tells the first position that a match still to come may use again.
        """
        complete = sorted(found, key=Complete.order)
        if tree.duplicates != "ALL":
            complete = _without_duplicates(complete, last=tree.duplicates == "LAST")
        if tree.pairs == "UNIQUE":
            complete = [one for one in complete if self.is_unique(_positions(one))]
            self.forget(oldest)
        elif tree.pairs == "SEPARATE":
            complete = [one for one in complete if self.is_separate(_first(one), one.place)]
        limit = tree.limit
        if limit is not None:
            per = limit.per
            complete = [
                one
                for one in complete
                if self.is_among_first(limit, None if per is None else one.variables.get(per))
            ]
        return complete

    def is_exhausted(self, tree: Subscription) -> bool:
        """Say whether LIMIT lets nothing through any more."""
        limit = tree.limit
        return limit is not None and limit.per is None and self.counts.get(None, 0) >= limit.count  # type: ignore[operator]

    def is_unique(self, positions: Collection[int]) -> bool:
        """PAIRS UNIQUE: keep a match only if no event of it was used by one kept before."""
        if not self.used.isdisjoint(positions):
            return False
        self.used.update(positions)
        return True

    def forget(self, oldest: Callable[[], int | None]) -> None:
        """Forget used events that no match to come can hold."""
        if len(self.used) <= self.most_used:
            return
        first = oldest()
        self.used = {p for p in self.used if first is not None and p >= first}
        self.most_used = max(_FEW, 2 * len(self.used))

    def is_separate(self, first: Place | None, completed: Place) -> bool:
        """PAIRS SEPARATE: keep a match only if its first event comes after the last one kept.

        `completed` is where it became certain; a silence has no first event.
        """
        if self.last_kept is not None and first is not None and first <= self.last_kept:
            return False
        self.last_kept = completed
        return True

    def is_among_first(self, limit: MatchLimit, value: Value) -> bool:
        """LIMIT: keep the first n, or the first n for each value of a variable."""
        assert isinstance(limit.count, int), "templates are filled in before they run"
        group = None if value is None else join_key(value)
        count = self.counts.get(group, 0)
        if count < limit.count:
            self.counts[group] = count + 1
        return count < limit.count


def _positions(one: Complete) -> set[int]:
    return {placed.position for _, placed in one.found.taken} if one.found is not None else set()


def _first(one: Complete) -> Place | None:
    return one.places[0] if one.places else None


def _without_duplicates(complete: list[Complete], *, last: bool) -> list[Complete]:
    """Of matches that complete together with equal variables, keep the least or the greatest."""
    chosen: dict[object, Complete] = {}
    for one in complete:  # in lexicographic order of positions
        group = (one.place, frozen(one.variables))
        if last or group not in chosen:
            chosen[group] = one
    return sorted(chosen.values(), key=Complete.order)
