"""The kinds of cells, and the attributes that every event has."""

from __future__ import annotations

from typing import Final

MISSING: Final = 0
BOOLEAN: Final = 1
INTEGER: Final = 2
FLOAT: Final = 3
STRING: Final = 4
TIMESTAMP: Final = 5
DURATION: Final = 6

STREAM_ATTRIBUTE: Final = "$stream"
BEGIN_ATTRIBUTE: Final = "$begin"
END_ATTRIBUTE: Final = "$end"

OWN_ATTRIBUTES: Final = (STREAM_ATTRIBUTE, BEGIN_ATTRIBUTE, END_ATTRIBUTE)
"""Attributes 0, 1 and 2 of every row: no attribute of a user starts with `$`."""
