"""Engines that stay alive in a worker from one micro-batch to the next.

A worker may be asked for any bucket, and for any state of it: Spark runs tasks again and moves
them. So an engine is used again only if its own snapshot is the very state that Spark hands over.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from tocsin.engine import Engine
from tocsin.spark.streaming.task import StreamTask

_MOST: Final = 256  # engines that one worker keeps


@dataclass(frozen=True, slots=True)
class _Kept:
    engine: Engine
    digest: bytes | None  # None: idle, as good as new for what comes after its clock


class LiveEngines:
    """Engines by task and bucket."""

    def __init__(self, most: int = _MOST) -> None:
        self._kept: OrderedDict[tuple[str, int], _Kept] = OrderedDict()
        self._most = most
        self.restored = 0
        self.made = 0

    def take(
        self, task: StreamTask, bucket: int, snapshot: bytes | None, before_us: int | None
    ) -> Engine:
        """Return the engine of a bucket in the state of a snapshot; it is not kept any longer.

        Parameters
        ----------
        snapshot
            None where the bucket has no state.
        before_us
            The first time that the engine will be told.
        """
        kept = self._kept.pop((task.name, bucket), None)
        if kept is not None and _is_usable(kept, snapshot, before_us):
            return kept.engine
        engine = task.engine(bucket)
        self.made += 1
        if snapshot is not None:
            engine.restore(snapshot)
            self.restored += 1
        return engine

    def keep(self, task: StreamTask, bucket: int, engine: Engine, snapshot: bytes | None) -> None:
        """Keep an engine whose state is a snapshot; None where it is idle."""
        digest = None if snapshot is None else digest_of(snapshot)
        self._kept[task.name, bucket] = _Kept(engine, digest)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)


def digest_of(snapshot: bytes) -> bytes:
    """Return what tells one snapshot from another."""
    return hashlib.sha256(snapshot).digest()


def _is_usable(kept: _Kept, snapshot: bytes | None, before_us: int | None) -> bool:
    if kept.digest is None or snapshot is None:
        clock = kept.engine.clock
        is_before = clock is None or (before_us is not None and clock < before_us)
        return kept.digest is None and snapshot is None and is_before
    return digest_of(snapshot) == kept.digest


LIVE: Final = LiveEngines()
"""Those of this worker."""
