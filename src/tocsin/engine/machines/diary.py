"""How partial matches ended: what machines note for those who ask why nothing was found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tocsin.engine.state import Left, Placed

if TYPE_CHECKING:
    from tocsin.engine.machines.follow import Link
    from tocsin.engine.machines.leaf import LeafPart
    from tocsin.engine.machines.machine import OpenPlace, Part

Why: TypeAlias = Literal[
    "window",  # its span limit passed
    "condition",  # `@` or WHERE refused it
    "next",  # the very next event did not fit
    "first",  # the first event that `->` looked for did not fit
    "until",  # UNTIL ended it
    "absent",  # what must be absent came
    "before",  # what must be absent had come before it began
    "growth",  # `repeat`: the attribute did not grow by the step
    "limit",  # limits on instances
]

_KEPT: Final = 32


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """How one partial match ended; `endings` in the engine puts it into words.

    Attributes
    ----------
    why
        Which kind of end it was.
    left
        What it had taken.
    waited
        The atoms it waited for, or the moment.
    at
        The clock when it ended.
    by
        The event that ended it; None where that was the clock, or limits.
    cause
        The part or the joint that refused it; None where that was the whole.
    begin
        Where its window began; None where the window is over all it had taken.
    """

    why: Why
    left: Left
    waited: tuple[LeafPart | int, ...] = ()
    at: int | None = None
    by: Placed | None = None
    cause: Part | Link | None = None
    begin: int | None = None


class Diary:
    """The last endings of a subscription, and how many of each kind there were.

    Attributes
    ----------
    counts
        Since the subscription was made.
    last
        The last of them, the oldest first.
    aside
        Above 0 while machines work that seek what is absent: their endings are nobody's concern.
    """

    __slots__ = ("aside", "counts", "last")

    def __init__(self) -> None:
        self.counts: dict[Why, int] = {}
        self.last: list[Ending] = []  # there may be very many diaries, and most stay empty
        self.aside = 0

    def note(self, ending: Ending) -> None:
        """Write down an ending, unless it is one of what is absent."""
        if self.aside:
            return
        self.counts[ending.why] = self.counts.get(ending.why, 0) + 1
        if len(self.last) == _KEPT:
            del self.last[0]
        self.last.append(ending)

    def note_places(  # noqa: PLR0913 - what an ending tells
        self,
        why: Why,
        places: Iterable[OpenPlace],
        *,
        at: int | None = None,
        by: Placed | None = None,
        cause: Part | Link | None = None,
        begin: int | None = None,
    ) -> None:
        """Write down the end of all who waited in some places; those with nothing have not begun.

        One who waited for several atoms ends once.
        """
        if self.aside:
            return
        waited: dict[tuple[tuple[int, int], ...], tuple[Left, list[LeafPart | int]]] = {}
        for place in places:
            for_what = place.leaf if place.leaf is not None else place.deadline
            if place.left.taken and for_what is not None:
                key = tuple((leaf.atom, placed.position) for leaf, placed in place.left.taken)
                waited.setdefault(key, (place.left, []))[1].append(for_what)
        when = by.event.end if by is not None else at
        for left, several in waited.values():
            self.note(Ending(why, left, tuple(several), when, by, cause, begin))
