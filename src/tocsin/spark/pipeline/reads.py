"""What subscriptions read of streams, as far as their texts tell before a table fills them."""

from __future__ import annotations

from typing import NamedTuple

from tocsin.errors import UnsupportedError
from tocsin.language.live import LiveProgram
from tocsin.language.tree import Program, Subscription
from tocsin.plan.partition.needs import columns_read


class Read(NamedTuple):
    """The columns that a subscription reads of one stream."""

    subscription: str
    stream: str
    columns: frozenset[str]


def reads_of(program: Program, *, default_stream: str | None) -> list[Read]:
    """Return what subscriptions read of streams that none of them derives.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE s FROM a, b MATCH x:a[v = 1] ; y:b[w = 1]")
    >>> for read in reads_of(program, default_stream=None):
    ...     print(read.stream, *read.columns)
    a v
    b w
    """
    live = LiveProgram(program, default_stream=default_stream)
    derived = {one.into for one in program.subscriptions}
    found = (read for one in program.subscriptions for read in _reads(live, one))
    return [read for read in found if read.stream not in derived]


def _reads(live: LiveProgram, subscription: Subscription) -> list[Read]:
    try:
        (normal,) = live.normal((subscription,))
    except UnsupportedError:  # FOR {wait}: what it reads shows when a table has filled it
        streams = subscription.sources or (live.default_stream,)
        return [Read(subscription.name, stream, frozenset()) for stream in streams]
    return [
        Read(subscription.name, stream, frozenset(columns_read(normal, stream)))
        for stream in normal.sources
    ]
