"""Who is told of notifications: callbacks and asynchronous iterators."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from tocsin.model.notification import Notification


class Delivery:
    """Hands notifications on, in their order."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[Notification], object]] = []
        self._queues: list[asyncio.Queue[Notification | None]] = []

    @property
    def has_listeners(self) -> bool:
        """Whether anybody is told."""
        return bool(self.callbacks or self._queues)

    def deliver(self, notifications: list[Notification]) -> None:
        """Hand notifications to everybody who listens.

        A callback that raises keeps nobody from being told; its first exception is raised when all
        have been.
        """
        raised: Exception | None = None
        for notification in notifications:
            for callback in self.callbacks:
                try:
                    callback(notification)
                except Exception as error:
                    raised = raised or error
            for queue in self._queues:
                queue.put_nowait(notification)
        if raised is not None:
            raise raised

    def listen(self) -> AsyncIterator[Notification]:
        """Return an iterator that has begun to listen."""
        queue: asyncio.Queue[Notification | None] = asyncio.Queue()
        self._queues.append(queue)
        return self._iterate(queue)

    async def _iterate(
        self, queue: asyncio.Queue[Notification | None]
    ) -> AsyncIterator[Notification]:
        try:
            while (notification := await queue.get()) is not None:
                yield notification
        finally:
            if queue in self._queues:
                self._queues.remove(queue)

    def close(self) -> None:
        """End all iterators once they have given what came before."""
        for queue in self._queues:
            queue.put_nowait(None)
        self._queues = []
