"""The columns that come out, and the names of those that are added to the events on the way."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
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
PART: Final = "$part"
"""The number of the part that an event goes to."""
APART: Final = "$apart"
"""Whether an event concerns a subscription without kernels, where others have them."""

TWIN: Final = "$twin"
"""Which of several notifications that look the same one is, from 0 on."""


def position_column(number: int) -> str:
    """Return the column of the positions in a union of streams."""
    return f"$position {number}"


def notification_schema() -> StructType:
    """Return the schema of what workers return: notifications, each with its `$twin`."""
    found = StructType.fromDDL(f"{NOTIFICATIONS}, `{TWIN}` int")
    assert isinstance(found, StructType)
    return found


def with_id(found: DataFrame) -> DataFrame:
    """Return what workers told with an `id` before it, and without `$twin`.

    The id is the same for the same input, however the work was split.
    """
    at = F.unix_micros("at").alias("at")  # as text it would depend on the session's zone
    twin = F.nullif(F.col(f"`{TWIN}`"), F.lit(0)).alias("twin")
    told = F.struct("subscription", "kind", at, "position", "events", "variables", twin)
    shown = F.to_json(told, {"ignoreNullFields": "true"})  # whatever the session says
    name = F.sha2(shown, 256).substr(1, 32)
    return found.select(name.alias("id"), "*").drop(TWIN)
