"""Making the engine that is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from tocsin.engine import Engine
from tocsin.engine.options import Options


@dataclass(frozen=True, slots=True)
class Part:
    """A template and the table that fills it."""

    template: str
    table: pa.Table


def make_engine(head: str, parts: Sequence[Part], *, switched: str | None = None) -> Engine:
    """Return an engine with the subscriptions of all parts in force.

    Parameters
    ----------
    head
        Declares the streams, and may hold subscriptions of its own.
    switched
        The option that is the other way than by default.

    Examples
    --------
    >>> part = Part("SUBSCRIBE s_{id} MATCH [x = {x}]", pa.table({"id": [1, 2], "x": [5, 6]}))
    >>> make_engine("", [part]).subscriptions
    ('s_1', 's_2')
    """
    options = Options()
    if switched is not None:
        options = replace(options, **{switched: not getattr(options, switched)})
    engine = Engine(head, options=options)
    for part in parts:
        engine.subscribe(part.template, part.table)
    return engine
