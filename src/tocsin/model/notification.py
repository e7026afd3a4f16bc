"""Notifications: what a subscriber receives, one by one and all together."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from tocsin.model import notification_text
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.times import TimeForm, format_time, us_as_ms
from tocsin.model.values import Duration, Timestamp, Value

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

NotificationKind: TypeAlias = Literal["match"]


@dataclass(frozen=True, slots=True)
class Notification:
    """A match, as its subscriber is told of it.

    Attributes
    ----------
    subscription
        Its name.
    kind
        What it tells of; so far, a match.
    at
        When it became certain: the end of the event that completed it, or the deadline.
    position
        The row that completed it; None where the clock did.
    begin, end
        The earliest begin and the latest end of its events.
    events
        The rows of each alias, all aliases in the order of the text; None stands for a derived
        event that the clock completed.
    variables
        Their values, by their names without `$`; None where unbound.
    emit
        What EMIT asks for.
    possibility, necessity
        Its degree; 1 and 1 where everything is crisp.
    """

    subscription: str
    kind: NotificationKind
    at: Timestamp
    position: int | None
    begin: Timestamp
    end: Timestamp
    events: Mapping[str, tuple[int | None, ...]]
    variables: Mapping[str, Value]
    emit: Mapping[str, Value]
    possibility: float = 1.0
    necessity: float = 1.0

    def to_dict(self, form: TimeForm = TimeForm.ISO) -> dict[str, Any]:
        """Return it ready for JSON, with times in the given form and durations in milliseconds.

        Examples
        --------
        >>> second = Timestamp(1_000_000)
        >>> events, variables = {"a": (0,)}, {"x": "10.0.0.1"}
        >>> found = Notification("n", "match", second, 0, second, second, events, variables, {})
        >>> found.to_dict()["at"], found.to_dict(TimeForm.MILLISECONDS)["at"]
        ('1970-01-01T00:00:01Z', 1000)
        >>> found.to_dict()["events"], found.to_dict()["variables"]
        ({'a': [0]}, {'x': '10.0.0.1'})
        """
        return {
            "subscription": self.subscription,
            "kind": self.kind,
            "at": format_time(self.at, form),
            "position": self.position,
            "begin": format_time(self.begin, form),
            "end": format_time(self.end, form),
            "events": {alias: list(rows) for alias, rows in self.events.items()},
            "variables": {name: json_value(v, form) for name, v in self.variables.items()},
            "emit": {name: json_value(v, form) for name, v in self.emit.items()},
            "possibility": self.possibility,
            "necessity": self.necessity,
        }


class Notifications(Sequence[Notification]):
    """What a run gave: its notifications in order, and the rows that were no events.

    Two are equal when they hold the same notifications and the same dead letters.

    Parameters
    ----------
    items
        The notifications. A sequence that makes them only when asked is kept as it is; where it has
        a method `to_arrow(form)`, that makes the table.
    dead_letters
        The rows that could not be used.
    form
        How `to_dicts` and everything that shows times writes them.

    Examples
    --------
    >>> from tocsin.model.values import Timestamp
    >>> second = Timestamp(1_000_000)
    >>> found = Notifications(
    ...     [Notification("n", "match", second, 0, second, second, {"a": (0,)}, {"x": 7}, {})]
    ... )
    >>> found
    1 notification
      n  at 1970-01-01T00:00:01Z  position 0  a=0  $x=7
    >>> found.to_dicts()[0]["position"], found[1:]
    (0, 0 notifications)
    """

    __slots__ = ("_items", "dead_letters", "form")

    def __init__(
        self,
        items: Iterable[Notification] = (),
        *,
        dead_letters: Iterable[DeadLetter] = (),
        form: TimeForm = TimeForm.ISO,
    ) -> None:
        self._items = _kept(items)
        self.dead_letters = tuple(dead_letters)
        self.form = form

    @property
    def late(self) -> int:
        """How many rows came too late."""
        return sum(letter.kind == "late" for letter in self.dead_letters)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Notification]:
        return iter(self._items)

    @overload
    def __getitem__(self, index: int) -> Notification: ...

    @overload
    def __getitem__(self, index: slice) -> Notifications: ...

    def __getitem__(self, index: int | slice) -> Notification | Notifications:
        if isinstance(index, slice):
            items = self._items[index]
            return Notifications(items, dead_letters=self.dead_letters, form=self.form)
        return self._items[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Notifications):
            return NotImplemented
        is_as_long = len(self) == len(other) and self.dead_letters == other.dead_letters
        return is_as_long and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # the values of a notification are dicts

    def __repr__(self) -> str:
        shown = self[: notification_text.SHOWN].to_dicts()
        return notification_text.to_text(shown, len(self), self.dead_letters)

    def _repr_html_(self) -> str:
        shown = self[: notification_text.SHOWN].to_dicts()
        return notification_text.to_html(shown, len(self), self.dead_letters)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return all of them ready for JSON."""
        return [item.to_dict(self.form) for item in self]

    def to_json_lines(self) -> str:
        """Return one line of JSON for each, every line ended."""
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in self.to_dicts())

    def to_arrow(self, *, typed: bool = False) -> pa.Table:
        """Return a `pyarrow.Table` with one row for each.

        Its columns are `subscription` and `kind` (string), `at`, `begin` and `end`
        (timestamp[us, UTC]), `position` (int64, null where the clock completed it), `events`
        (map<string, list<int64>>), `variables` and `emit` (map<string, string>, each value as
        JSON, null where missing), `possibility` and `necessity` (double).

        Parameters
        ----------
        typed
            Instead of `variables` and `emit`, give each variable and each field a column of its own
            type: `variables.x`, `emit.ip`. All notifications must be of one subscription.

        Raises
        ------
        ConfigurationError
            `typed` with notifications of several subscriptions.
        """
        from tocsin.model import notification_table  # noqa: PLC0415 - loads pyarrow

        return notification_table.to_arrow(self._items, self.form, typed=typed)

    def to_pandas(self, *, typed: bool = False) -> pd.DataFrame:
        """Return a `pandas.DataFrame` with one row for each.

        Its columns are those of `to_arrow`; `events`, `variables` and `emit` hold dicts as in
        `to_dicts`, and `position` is an integer that can be missing.

        Parameters
        ----------
        typed
            As for `to_arrow`.

        Raises
        ------
        ConfigurationError
            pandas is not installed, or `typed` with notifications of several subscriptions.
        """
        from tocsin.model import notification_table  # noqa: PLC0415 - loads pyarrow

        return notification_table.to_pandas(self._items, self.form, typed=typed)


def _kept(items: Iterable[Notification]) -> Sequence[Notification]:
    """Return items that nobody else changes: only a list is copied of all sequences."""
    if isinstance(items, Notifications):
        return items._items
    return items if isinstance(items, Sequence) and not isinstance(items, list) else tuple(items)


def json_value(value: Value, form: TimeForm) -> bool | int | float | str | None:
    """Return a value ready for JSON.

    A time is shown in the given form, a duration in milliseconds, NaN as null, and the infinities,
    for which JSON has no number, as the strings "Infinity" and "-Infinity".

    Examples
    --------
    >>> json_value(Duration(1_500), TimeForm.ISO), json_value(float("-inf"), TimeForm.ISO)
    (1.5, '-Infinity')
    """
    if isinstance(value, Timestamp):
        return format_time(value, form)
    if isinstance(value, Duration):
        return us_as_ms(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
