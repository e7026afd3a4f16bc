"""Who reads and who feeds which stream, and the order in which they must run."""

from __future__ import annotations


class Ranks:
    """Units by the streams they read and feed; a feeder runs before its readers.

    Examples
    --------
    >>> ranks = Ranks()
    >>> ranks.add(0, ("alerts",))
    >>> ranks.add(1, ("logins",))
    >>> ranks.feed(1, "alerts")
    >>> ranks.of(1) < ranks.of(0), ranks.is_fed(("alerts",))
    (True, True)
    """

    def __init__(self) -> None:
        self.readers: dict[str, dict[int, None]] = {}  # by stream, in the order of the text
        self._sources: dict[int, tuple[str, ...]] = {}
        self._feeders: dict[str, dict[int, int]] = {}
        self._depths: dict[int, int] = {}

    def add(self, unit: int, sources: tuple[str, ...]) -> None:
        """Let a unit read streams."""
        self._sources[unit] = sources
        for source in sources:
            self.readers.setdefault(source, {})[unit] = None
        if self._feeders:
            self._depths.clear()

    def feed(self, unit: int, stream: str | None, count: int = 1) -> None:
        """Let a unit feed a stream so many times more."""
        if stream is not None:
            feeders = self._feeders.setdefault(stream, {})
            feeders[unit] = feeders.get(unit, 0) + count
            self._depths.clear()

    def starve(self, unit: int, stream: str | None) -> None:
        """Let a unit feed a stream once less."""
        if stream is None:
            return
        feeders = self._feeders[stream]
        feeders[unit] -= 1
        if feeders[unit] == 0:
            del feeders[unit]
        if not feeders:
            del self._feeders[stream]
        self._depths.clear()

    def remove(self, unit: int, sources: tuple[str, ...], into: str | None) -> None:
        """Let a unit go."""
        self.starve(unit, into)
        del self._sources[unit]
        self._depths.pop(unit, None)
        for source in sources:
            self.readers[source].pop(unit, None)
            if not self.readers[source]:
                del self.readers[source]

    def is_fed(self, sources: tuple[str, ...]) -> bool:
        """Say whether somebody feeds one of the streams."""
        return bool(self._feeders) and any(source in self._feeders for source in sources)

    def of(self, unit: int) -> tuple[int, int]:
        """Return the rank of a unit; the checker refuses circles."""
        if not self._feeders:
            return (0, unit)
        return (self._depth(unit), unit)

    def _depth(self, unit: int) -> int:
        depth = self._depths.get(unit)
        if depth is None:
            feeding = [
                one for source in self._sources[unit] for one in self._feeders.get(source, ())
            ]
            depth = 1 + max((self._depth(one) for one in feeding), default=-1)
            self._depths[unit] = depth
        return depth
