"""Who takes back what a plan uses no more."""

from __future__ import annotations

from typing import Protocol

from tocsin.engine.linear.arrays import Int64Array


class Releasing(Protocol):
    """Takes back uses of filters and guards."""

    def give_filters(self, numbers: Int64Array) -> None:
        """Count one use less of each filter."""
        ...

    def give_guards(self, numbers: Int64Array) -> None:
        """Count one use less of each guard; NONE is none."""
        ...
