"""What attributes an event may have, by the streams it may come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tocsin.language.checker.words import listed, quoted
from tocsin.model.values import Kind

UNKNOWN = Kind.UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class Attributes:
    """The attributes of the events of one or several streams.

    Attributes
    ----------
    kinds
        The known ones.
    is_open
        Whether there may be others, because a stream is schema-free.
    streams
        The streams, for messages.
    """

    kinds: Mapping[str, Kind]
    is_open: bool
    streams: tuple[str, ...]

    def where(self) -> str:
        """Return `stream 'a'` or `streams 'a', 'b'`."""
        names = ", ".join(quoted(name) for name in self.streams)
        return f"stream {names}" if len(self.streams) == 1 else f"streams {names}"

    def listing(self) -> str:
        """Return what there is, for hints."""
        if not self.kinds:
            return ""
        owner = quoted(self.streams[0]) + " has" if len(self.streams) == 1 else "They have"
        return f"{owner}: {listed(self.kinds)}."


def either_kind(left: Kind, right: Kind) -> Kind:
    """Return the kind of something that has one kind here and another one there.

    Examples
    --------
    >>> either_kind(Kind.INTEGER, Kind.FLOAT), either_kind(Kind.STRING, Kind.FLOAT)
    (<Kind.FLOAT: 'FLOAT'>, <Kind.UNKNOWN: 'UNKNOWN'>)
    """
    if left is right:
        return left
    return Kind.FLOAT if left.is_number and right.is_number else UNKNOWN


def united(parts: Iterable[Attributes]) -> Attributes:
    """Return the attributes of events that come from any of these streams."""
    several = list(parts)
    kinds: dict[str, Kind] = {}
    for part in several:
        for name, kind in part.kinds.items():
            kinds[name] = either_kind(kinds.get(name, kind), kind)
    is_open = any(part.is_open for part in several)
    if is_open:  # a schema-free stream may give the same name another kind
        kinds = dict.fromkeys(kinds, UNKNOWN)
    streams = dict.fromkeys(stream for part in several for stream in part.streams)
    return Attributes(kinds, is_open, tuple(streams))
