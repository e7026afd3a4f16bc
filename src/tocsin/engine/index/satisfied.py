"""The answer of the index for a batch."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array


@dataclass(frozen=True, slots=True)
class Satisfied:
    """The filters that each event of a batch satisfies.

    Those of event i are `filters[offsets[i]:offsets[i + 1]]`, in no order.
    """

    offsets: Int64Array
    filters: Int32Array

    def of(self, event: int) -> list[int]:
        """Return the filters of one event, in order."""
        found = self.filters[self.offsets[event] : self.offsets[event + 1]]
        return sorted(found.tolist())
