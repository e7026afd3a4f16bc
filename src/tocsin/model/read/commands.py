"""Whether an input can bring subscriptions, which decides what has to be kept for them."""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_NAME: Final = "$subscribe"
_SIGNS: Final = (b"$subscribe", b"\\u0024")  # the second is how JSON may write the sign
_PACKED: Final = b"\x1f\x8b"


def may_subscribe(events: object) -> bool:
    """Say whether a row of what `rows_of` takes may be a subscription.

    A list, a table or a plain file is looked through. An iterator can be read only once, so it may
    bring anything, unless it has an attribute `may_subscribe` that says otherwise.

    Examples
    --------
    >>> may_subscribe([{"ts": 1}]), may_subscribe(iter([{"ts": 1}]))
    (False, True)
    """
    told = getattr(events, "may_subscribe", None)
    if isinstance(told, bool):
        return told
    if isinstance(events, str | os.PathLike):
        return _is_in_file(Path(events))
    if isinstance(events, Sequence):
        return any(isinstance(row, Mapping) and _NAME in row for row in events)
    names = getattr(getattr(events, "schema", None), "names", getattr(events, "columns", None))
    return names is None or _NAME in list(names)


def _is_in_file(path: Path) -> bool:
    """Look for the name in the bytes of a file; formats with columns do not pack their names."""
    if not path.is_file() or path.stat().st_size == 0:
        return not path.is_file()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content[:2] == _PACKED or any(content.find(sign) >= 0 for sign in _SIGNS)
