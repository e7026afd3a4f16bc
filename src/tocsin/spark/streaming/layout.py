"""What must not change while a query lives: what its buckets hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tocsin.errors import ConfigurationError

_NEW: Final = "begin with a new checkpoint"


@dataclass(frozen=True, slots=True)
class Layout:
    """What the state of a bucket was written for.

    Attributes
    ----------
    plan
        Tells subscriptions, buckets and options from others.
    columns
        What events carry, by name, each with its type in Spark.

    Examples
    --------
    >>> Layout("1f", {"v": "int"}).to_text()
    '{"columns": {"v": "int"}, "plan": "1f"}'
    """

    plan: str
    columns: Mapping[str, str]

    def to_text(self) -> str:
        """Return it as text; equal ones have equal texts."""
        return json.dumps({"plan": self.plan, "columns": dict(self.columns)}, sort_keys=True)

    def check(self, written: str) -> None:
        """See that a state is of this layout.

        Raises
        ------
        ConfigurationError
            It is of another one; what differs is told.
        """
        if written == self.to_text():
            return
        raise ConfigurationError(next(self._differences(written)))

    def _differences(self, written: str) -> Iterator[str]:
        try:
            found = json.loads(written)
            before, is_other_plan = found["columns"], found["plan"] != self.plan
        except (ValueError, TypeError, KeyError):  # as an older tocsin wrote it
            before, is_other_plan = {}, True
        if is_other_plan:
            yield (
                "the checkpoint is of another program, of other options or of another number of "
                f"buckets; go on with those it was made with, or {_NEW}"
            )
        for name, of in self.columns.items():
            if name not in before:
                yield (
                    f"the column '{name}' was not there when the checkpoint was made; leave it "
                    f"out, or {_NEW}"
                )
            elif before[name] != of:
                yield (
                    f"the column '{name}' is a {of}, and was a {before[name]} when the checkpoint "
                    f"was made; cast it to {before[name]}, or {_NEW}"
                )
        for name in before:
            if name not in self.columns:
                yield (
                    f"the column '{name}' is gone, which was there when the checkpoint was made; "
                    f"bring it back, or {_NEW}"
                )
