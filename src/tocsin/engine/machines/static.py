"""What an event alone decides: every distinct filter is evaluated once for each event."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TypeAlias
from weakref import WeakValueDictionary

from tocsin.engine.expressions import Condition
from tocsin.engine.state import Left
from tocsin.language.tree import Expression
from tocsin.model.event import Event

_NOTHING = Left((), {}, None, {})


class StaticFilter:
    """The stream and the static conditions of an atom; atoms that ask for the same share it."""

    __slots__ = ("__weakref__", "_conditions", "_passes", "_seen", "_stream")

    def __init__(self, stream: str | None, conditions: tuple[Condition, ...]) -> None:
        self._stream = stream
        self._conditions = conditions
        self._seen: Event | None = None
        self._passes = False

    def passes(self, event: Event) -> bool:
        """Say whether an event satisfies it; asked again for the same event, it remembers."""
        if event is not self._seen:
            self._passes = self._holds(event)
            self._seen = event
        return self._passes

    def _holds(self, event: Event) -> bool:
        if self._stream is not None and self._stream != event.stream:
            return False
        for holds in self._conditions:  # noqa: SIM110 - a generator costs more than a condition
            if not holds(_NOTHING, event):
                return False
        return True


Key: TypeAlias = tuple[str | None, str, tuple[Expression, ...]]
Shared: TypeAlias = MutableMapping[Key, StaticFilter]


def no_filters() -> Shared:
    """Return a place for filters that lasts for as long as an atom uses them."""
    return WeakValueDictionary()
