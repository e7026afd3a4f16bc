"""The columns that come out, and the names of those that are added to the events on the way."""

from __future__ import annotations

from functools import cache
from typing import Final

from pyspark.sql.types import StructType

NOTIFICATIONS: Final = (
    "subscription string, kind string, at timestamp, position bigint, begin timestamp, "
    "end timestamp, events map<string, array<bigint>>, variables map<string, string>, "
    "emit map<string, string>, possibility double, necessity double"
)
"""The columns of `Notifications.to_arrow`; `id` comes before them."""

ROW: Final = "$row"
"""The place of an event in the whole input."""
STREAM: Final = "$stream"
END: Final = "$end"
DEAD_LETTER: Final = "dead_letter"
"""The kind of what workers return for a row that the engine refuses."""
TIE: Final = "$tie"
"""What orders events of equal time that nothing else orders."""
PART: Final = "$part"
"""The number of the part that an event goes to."""
APART: Final = "$apart"
"""Whether an event concerns a subscription without kernels, where others have them."""


def position_column(number: int) -> str:
    """Return the column of the positions in a union of streams."""
    return f"$position {number}"


@cache
def notification_schema() -> StructType:
    """Return the schema of what workers return: notifications, each with its id."""
    found = StructType.fromDDL(f"id string, {NOTIFICATIONS}")
    assert isinstance(found, StructType)
    return found
