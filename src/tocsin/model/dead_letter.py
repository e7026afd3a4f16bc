"""Dead letters: rows that are no events, kept with the reason instead of being lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NoReturn, TypeAlias, get_args

from tocsin.errors import EventError
from tocsin.model.show import show_json, show_value
from tocsin.model.values import Duration, Timestamp

RAW_LIMIT: Final = 1_000
"""How many characters of the row a dead letter keeps; a longer row is cut and ends in `…`."""

DeadLetterKind: TypeAlias = Literal[
    "bad_json",  # the line is not JSON
    "bad_encoding",  # the bytes are not UTF-8, or a string is not Unicode text
    "duplicate_key",  # one JSON object says the same key twice
    "not_an_object",  # JSON, or a Python value, but not names with values
    "too_large",  # the line or the cell is longer than the reader takes
    "bad_cells",  # the row of a CSV file does not fit its header
    "bad_key",  # a name is not a string
    "bad_type",  # a value of a type that no event carries, or that is not the declared one
    "out_of_range",  # an integer outside 64 bits
    "fuzzy",  # a fuzzy value
    "bad_time",  # a time is missing, unreadable or too fine, or the end lies before the begin
    "late",  # the time lies before the clock
    "bad_clock",  # `$clock` is unreadable or goes backwards
    "unknown_control",  # a name with `$` that means nothing
    "bad_control",  # `$stream`, `$subscribe`, `$unsubscribe` with something they do not take
    "bad_program",  # the text of `$subscribe` is refused
    "unknown_subscription",  # `$unsubscribe` names none
]
DEAD_LETTER_KINDS: Final[tuple[DeadLetterKind, ...]] = get_args(DeadLetterKind)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A row that is no event, and why.

    Attributes
    ----------
    row
        Its 0-based place in the input, counting every row.
    reason
        A sentence for people: what, where, what to do.
    raw
        The row as it came, cut after `RAW_LIMIT` characters.
    kind
        One word for programs; `DEAD_LETTER_KINDS` lists them.

    Examples
    --------
    >>> DeadLetter(3, "late: …", '{"ts": 5}', "late").to_dict()
    {'row': 3, 'kind': 'late', 'reason': 'late: …', 'raw': '{"ts": 5}'}
    """

    row: int
    reason: str
    raw: str
    kind: DeadLetterKind

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", _writable(self.reason))
        object.__setattr__(self, "raw", _cut(_writable(self.raw)))

    def to_dict(self) -> dict[str, object]:
        """Return the letter ready for JSON."""
        return {"row": self.row, "kind": self.kind, "reason": self.reason, "raw": self.raw}


class RowRefused(EventError):
    """A row is no event; whoever reads rows turns this into a `DeadLetter`."""

    def __init__(self, kind: DeadLetterKind, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind: DeadLetterKind = kind
        self.reason = reason

    def __str__(self) -> str:
        return self.reason

    def letter(self, row: int, raw: str) -> DeadLetter:
        """Return the dead letter of this row."""
        return DeadLetter(row, self.reason, raw, self.kind)


def refuse(kind: DeadLetterKind, reason: str) -> NoReturn:
    """Raise `RowRefused`."""
    raise RowRefused(kind, reason)


def show_row(raw: object) -> str:
    """Return a row as JSON, or as Python shows it where JSON cannot. It never fails.

    Examples
    --------
    >>> show_row({"ts": Timestamp(0), "took": Duration(5_000_000), "x": [1, 2]})
    '{"ts": "1970-01-01T00:00:00Z", "took": "5 s", "x": [1, 2]}'
    """
    row = {name: _shown(raw[name]) for name in raw} if isinstance(raw, Mapping) else raw
    try:
        return show_json(row)
    except (TypeError, ValueError, RecursionError):
        return show_value(row, width=RAW_LIMIT)


def _shown(value: object) -> object:
    """Show times and durations, which `json` would write as integers in microseconds."""
    return str(value) if isinstance(value, Timestamp | Duration) else value


def _cut(text: str) -> str:
    return text if len(text) <= RAW_LIMIT else text[: RAW_LIMIT - 1] + "…"


def _writable(text: str) -> str:
    """Escape what no UTF-8 file can hold, so that a dead letter can always be written down."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
