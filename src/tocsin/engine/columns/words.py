"""Names by their numbers, and what the numbers of one moment mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Numbering(dict[str, int]):
    """Gives names the numbers 0, 1, 2 and so on, each when it is first asked for.

    Attributes
    ----------
    names
        The names by their numbers.
    free
        Numbers below the end that nobody has, the one to be given out next last.
    reused
        Those of them that have been given out, in order.

    Examples
    --------
    >>> numbering = Numbering(["a"])
    >>> numbering["b"], numbering["a"], numbering.names
    (1, 0, ['a', 'b'])
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = list(names)
        self.free: list[int] = []
        self.reused: list[int] = []
        super().__init__((name, number) for number, name in enumerate(self.names))

    def __missing__(self, name: str) -> int:
        if self.free:
            number = self[name] = self.free.pop()
            self.names[number] = name
            self.reused.append(number)
        else:
            number = self[name] = len(self.names)
            self.names.append(name)
        return number

    def only(self, numbers: Sequence[int]) -> Numbering:
        """Return a numbering that has some of the names under their numbers.

        The list of names is another one, so that whoever holds this one can go on reading.

        Examples
        --------
        >>> numbering = Numbering("abc").only([1])
        >>> numbering["x"], numbering["y"], numbering["b"], numbering.reused
        (0, 2, 1, [0])
        """
        kept = Numbering()
        kept.names = [""] * (max(numbers, default=-1) + 1)
        for number in numbers:
            kept.names[number] = self.names[number]
            kept[self.names[number]] = number
        held = set(numbers)
        kept.free = [n for n in range(len(kept.names) - 1, -1, -1) if n not in held]
        return kept


class Words(NamedTuple):
    """What the codes of one moment mean; it stays right when the vocabulary forgets strings."""

    attributes: Sequence[str]
    texts: Sequence[str]

    def text(self, code: int) -> str:
        """Return the string of a code."""
        return self.texts[code]
