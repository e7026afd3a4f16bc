"""How a literal lies in three 64-bit words, so that one kernel checks it and one table shares it.

The first word says what to do: operation, flags, family and attribute. The other two are the limits
of an interval, a slice of the choices, a test of strings, or a slice of the programs.
"""

from __future__ import annotations

from typing import Final

INTERVAL: Final = 0
CHOICE: Final = 1
PRESENT: Final = 2
TEXT: Final = 3
COMPUTED: Final = 4

OPERATION: Final = 15
NEGATED: Final = 1 << 4
OUTSIDE: Final = 1 << 5
LOW_OPEN: Final = 1 << 6
HIGH_OPEN: Final = 1 << 7
NO_LOW: Final = 1 << 8
NO_HIGH: Final = 1 << 9
IN_FLOATS: Final = 1 << 10
"""The limits are keys of floats in their order, not integers."""

FAMILY_SHIFT: Final = 12
ATTRIBUTE_SHIFT: Final = 16
WORDS: Final = 3
"""The length of a literal; an entry is one more word and its literals."""

COUNT_SHIFT: Final = 32
"""The first word of an entry: how many literals are left to check, and the conjunction."""


def head_of(operation: int, attribute: int, *, family: int = 0, flags: int = 0) -> int:
    """Return the first word of a literal.

    Examples
    --------
    >>> head_of(PRESENT, 3) >> ATTRIBUTE_SHIFT
    3
    """
    return operation | flags | family << FAMILY_SHIFT | attribute << ATTRIBUTE_SHIFT
