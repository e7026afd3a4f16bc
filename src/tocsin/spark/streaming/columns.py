"""The names of what is added to events on their way into buckets, and how tables become bytes."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

BUCKET: Final = "bucket"
BUCKETS: Final = "$buckets"
"""All buckets that an event goes to."""
ORDER: Final = "$order"
TELLS: Final = "$tells"
"""Whether this bucket tells of the event if it is late: one of those it goes to does."""
EVENTS: Final = "events"
EVENT_TIME: Final = "$event_time"
"""The end of an event as a timestamp: the watermark follows it."""
CHANGES: Final = "changes"
"""Subscriptions that come and go."""
PACKED: Final = f"{BUCKET} int, {EVENTS} binary"
"""What goes to the buckets."""
WATCHED: Final = "watched"
"""No time at all: Spark asks for the column, and drops no row by it."""
TOLD: Final = "told"


def to_bytes(table: pa.Table) -> bytes:
    """Return a table as bytes.

    Examples
    --------
    >>> of_bytes(to_bytes(pa.table({"v": [1, None]})))["v"].to_pylist()
    [1, None]
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def of_bytes(given: bytes) -> pa.Table:
    """Return the table of `to_bytes`."""
    with pa.ipc.open_stream(given) as reader:
        return reader.read_all()
