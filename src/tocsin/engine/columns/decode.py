"""Events of a batch as objects again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from tocsin.engine.columns.batch import Batch
from tocsin.engine.columns.column import UInt8Array
from tocsin.engine.columns.kinds import (
    BOOLEAN,
    DURATION,
    FLOAT,
    INTEGER,
    MISSING,
    OWN_ATTRIBUTES,
    STRING,
    TIMESTAMP,
)
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.engine.columns.words import Words
from tocsin.model.event import Event
from tocsin.model.values import Duration, Timestamp, Value

_Decode: TypeAlias = Callable[[Int64Array, Words], list[Value]]


def events_of(batch: Batch, rows: Int64Array, words: Words, indices: Int64Array) -> list[Event]:
    """Return the events in some places of a batch; missing attributes are absent from them.

    Parameters
    ----------
    rows
        The input row of each event of the batch.
    words
        What its codes mean.
    indices
        The places in the batch.

    Examples
    --------
    >>> from tocsin.engine.columns.batch import batch_of_events
    >>> from tocsin.engine.columns.vocabulary import Vocabulary
    >>> vocabulary, moment = Vocabulary(), Timestamp(5)
    >>> batch = batch_of_events([Event("ticks", 7, moment, moment, {"price": 1.5})], vocabulary)
    >>> events_of(batch, np.array([7]), vocabulary.words(), np.array([0]))[0].values
    {'price': 1.5}
    """
    values: list[dict[str, Value]] = [{} for _ in range(len(indices))]
    kind, bits = batch.kind[indices], batch.bits[indices]
    for column, name in enumerate(words.attributes[: kind.shape[1]]):
        if column >= len(OWN_ATTRIBUTES) and not name.startswith("$"):
            _decode(name, kind[:, column], bits[:, column], words, values)
    streams = map(words.text, batch.stream[indices].tolist())
    begins = map(Timestamp, batch.begin_us[indices].tolist())
    ends = map(Timestamp, batch.end_us[indices].tolist())
    return list(map(Event, streams, rows[indices].tolist(), begins, ends, values))


def values_of(kind: UInt8Array, bits: Int64Array, words: Words) -> list[Value]:
    """Return the values of cells, None where one is missing.

    Examples
    --------
    >>> values_of(np.array([2, 0], np.uint8), np.array([7, 0]), Words((), ()))
    [7, None]
    """
    values: list[Value] = [None] * len(kind)
    for one in np.unique(kind).tolist():
        if one != MISSING:
            places = np.flatnonzero(kind == one)
            decoded = _DECODERS[one](bits[places], words)
            if len(places) == len(values):
                return decoded
            for place, value in zip(places.tolist(), decoded, strict=True):
                values[place] = value
    return values


def _decode(
    name: str,
    kind: UInt8Array,
    bits: Int64Array,
    words: Words,
    values: list[dict[str, Value]],
) -> None:
    """Give an attribute to the events that have it."""
    for one in np.unique(kind).tolist():
        if one != MISSING:
            places = np.flatnonzero(kind == one)
            cells = _DECODERS[one](bits[places], words)
            for place, value in zip(places.tolist(), cells, strict=True):
                values[place][name] = value


_DECODERS: Final[dict[int, _Decode]] = {
    BOOLEAN: lambda bits, _: bits.astype(np.bool_).tolist(),
    INTEGER: lambda bits, _: bits.tolist(),
    FLOAT: lambda bits, _: bits.view(np.float64).tolist(),
    STRING: lambda bits, words: list(map(words.text, bits.tolist())),
    TIMESTAMP: lambda bits, _: list(map(Timestamp, bits.tolist())),
    DURATION: lambda bits, _: list(map(Duration, bits.tolist())),
}
