"""Which events may begin what follows `,` or `->`: the next, or the first that satisfies θ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.state import Found, Left, Placed

Wanted: TypeAlias = Callable[[Left, Placed], bool]

NOWHERE: Final = -1
"""A position before the first."""


class Opening:
    """The first event that satisfies one condition; unordered, all that are first together."""

    __slots__ = ("end", "is_closed", "positions")

    def __init__(self) -> None:
        self.end: int | None = None
        self.positions: tuple[int, ...] = ()
        self.is_closed = False

    def offer(self, wanted: Wanted, left: Left, placed: Placed, *, unordered: bool) -> bool:
        """Take the next event that may follow, and say whether it is among the first.

        Of the events between, those may be left out that no atom can take.
        """
        if self.is_closed:
            return False
        if wanted is is_any and not unordered and not _is_next(left, placed):
            self.is_closed = True
            return False
        if self.end is not None and placed.event.end > self.end:
            self.is_closed = True
            return False
        if not wanted(left, placed):
            return False
        self.end = placed.event.end
        self.positions += (placed.position,)
        self.is_closed = not unordered
        return True


class Gate:
    """The openings of a joint, one for each opening condition that what follows may have."""

    __slots__ = ("openings",)

    def __init__(self, count: int) -> None:
        self.openings = [Opening() for _ in range(count)]

    def offer(
        self, wanted: tuple[Wanted, ...], left: Left, placed: Placed, *, unordered: bool
    ) -> bool:
        """Take the next event that may follow, and say whether anything may begin with it."""
        begins = False
        for test, opening in zip(wanted, self.openings, strict=True):
            begins |= opening.offer(test, left, placed, unordered=unordered)
        return begins

    def admits(self, found: Found, variant: int) -> bool:
        """Say whether a match begins where it must."""
        return found.first in self.openings[variant].positions

    def closed_at(self) -> int | None:
        """Return the last position at which anything may begin, None where that is open."""
        if not all(opening.is_closed for opening in self.openings):
            return None
        return max(max(opening.positions, default=NOWHERE) for opening in self.openings)


def _is_next(left: Left, placed: Placed) -> bool:
    """Say whether an event stands right behind what is to its left."""
    assert left.after is not None, "a joint follows an element"
    return placed.position == left.after[0] + 1


def is_any(_left: Left, _placed: Placed) -> bool:
    """`,`: the next event, whatever it is."""
    return True


def opened_by(leaves: tuple[LeafPart, ...]) -> Wanted:
    """Return the opening condition that some leaves make together."""
    if len(leaves) == 1:
        return leaves[0].opens
    return lambda left, placed: any(leaf.opens(left, placed) for leaf in leaves)
