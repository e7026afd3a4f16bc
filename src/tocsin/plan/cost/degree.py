"""How fast something grows with the number of events."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Degree:
    """The degree of a polynomial in the number of events, or more than any.

    Attributes
    ----------
    free
        How many events are chosen freely among all.
    keyed
        How many are chosen among those that a variable joins with events chosen before.
    exponential
        Whether any number of them may be chosen.

    Examples
    --------
    >>> Degree(1) + Degree(keyed=2)
    Degree(free=1, keyed=2, exponential=False)
    """

    free: int = 0
    keyed: int = 0
    exponential: bool = False

    def __add__(self, other: Degree) -> Degree:
        exponential = self.exponential or other.exponential
        return Degree(self.free + other.free, self.keyed + other.keyed, exponential)

    def __or__(self, other: Degree) -> Degree:
        """Return the faster growth of two."""
        return max(self, other, key=Degree._speed)

    def __mul__(self, times: int) -> Degree:
        return Degree(self.free * times, self.keyed * times, self.exponential)

    @property
    def total(self) -> int:
        """The degree where all events have one key."""
        return self.free + self.keyed

    def _speed(self) -> tuple[bool, int, int]:
        return self.exponential, self.total, self.free

    def __str__(self) -> str:
        """Return it in words."""
        if self.exponential:
            return "exponential"
        known = {0: "constant", 1: "linear"}
        return known.get(self.total, f"polynomial of degree {self.total}")


EXPONENTIAL = Degree(exponential=True)
