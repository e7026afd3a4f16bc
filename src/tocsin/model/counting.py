"""How many of something there are, in words."""

from __future__ import annotations


def counted(count: int, noun: str, many: str | None = None) -> str:
    """Return `1 event`, `2 events`.

    Examples
    --------
    >>> counted(1, "event"), counted(2, "match", "matches")
    ('1 event', '2 matches')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"
