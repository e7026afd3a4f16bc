"""What must not change while a query lives: what its buckets hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tocsin.errors import ConfigurationError

_FORM: Final = 3
"""Of what is written down; a tocsin that writes something else counts on."""
_FIRST_FORM: Final = re.compile(r"[0-9a-f]+")
"""The first ones were a word alone."""
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
    ties
        The columns that order events of equal time, which are all that there were at first.

    Examples
    --------
    >>> Layout("1f", {"v": "int"}, {"v": "int"}).to_text()
    '{"columns": {"v": "int"}, "form": 3, "plan": "1f", "ties": {"v": "int"}}'
    """

    plan: str
    columns: Mapping[str, str]
    ties: Mapping[str, str]

    def to_text(self) -> str:
        """Return it as text; equal ones have equal texts."""
        told = {
            "form": _FORM,
            "plan": self.plan,
            "columns": dict(self.columns),
            "ties": dict(self.ties),
        }
        return json.dumps(told, sort_keys=True)

    @classmethod
    def of_text(cls, written: str) -> Layout:
        """Return what `to_text` was given.

        Raises
        ------
        ConfigurationError
            Another version of tocsin has written it, or it is broken.
        """
        try:
            found: Any = json.loads(written)
            form = found.get("form", 1)
        except (ValueError, AttributeError) as error:
            if _FIRST_FORM.fullmatch(written) is None:
                raise _broken(written) from error
            form = 0
        if form != _FORM:
            which = "a newer" if isinstance(form, int) and form > _FORM else "an older"
            msg = (
                f"{which} version of tocsin has written this checkpoint: its state is told by "
                f"{_short(written)}, of form {form}, and this version reads form {_FORM}; go on "
                f"with the version that wrote it, or {_NEW} and an output of its own"
            )
            raise ConfigurationError(msg)
        try:
            return cls(found["plan"], dict(found["columns"]), dict(found["ties"]))
        except (KeyError, TypeError, ValueError) as error:
            raise _broken(written) from error

    def check(self, written: str) -> None:
        """See that a state is of this layout.

        Raises
        ------
        ConfigurationError
            It is of another one; what differs is told.
        """
        if written == self.to_text():
            return
        for said in self._differences(Layout.of_text(written)):
            raise ConfigurationError(said)

    def _differences(self, before: Layout) -> Iterator[str]:
        if before.plan != self.plan:
            yield (
                "the checkpoint is of another program, of other options or of another number of "
                f"buckets; go on with those it was made with, or {_NEW}"
            )
        yield from _changed(self.columns, before.columns, f"leave it out, or {_NEW}")
        yield from _changed(
            self.ties,
            before.ties,
            "it would change the order of events of equal time; leave it out, name the folder with "
            f"checkpoint= when a query begins, so that it is left out by itself, or {_NEW}",
        )


def _changed(now: Mapping[str, str], before: Mapping[str, str], if_new: str) -> Iterator[str]:
    for name, of in now.items():
        if name not in before:
            yield f"the column '{name}' was not there when the checkpoint was made; {if_new}"
        elif before[name] != of:
            yield (
                f"the column '{name}' is a {of}, and was a {before[name]} when the checkpoint "
                f"was made; cast it to {before[name]}, or {_NEW}"
            )
    for name in before:
        if name not in now:
            yield (
                f"the column '{name}' is gone, which was there when the checkpoint was made; "
                f"bring it back, or {_NEW}"
            )


def _broken(written: str) -> ConfigurationError:
    msg = f"what the checkpoint tells of its state is broken: {_short(written)}; {_NEW}"
    return ConfigurationError(msg)


def _short(written: str, most: int = 40) -> str:
    return repr(written if len(written) <= most else f"{written[:most]}…")
