"""`Queries`: the queries that a run has started."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql.streaming.query import StreamingQuery

from tocsin.spark.pipeline.halt import Halt


class Queries:
    """Keeps queries, so that a run stops its own and no others.

    Parameters
    ----------
    halt
        Whether the run is to stop; then it starts no further query.
    """

    def __init__(self, halt: Halt) -> None:
        self._halt = halt
        self._started: list[StreamingQuery] = []

    def add(self, start: Callable[[], StreamingQuery]) -> StreamingQuery:
        """Start a query, keep it, and return it.

        Raises
        ------
        HaltedError
            Somebody asked the run to stop.
        """
        self._halt.look()
        query = start()
        self._started.append(query)
        return query

    def stop(self) -> None:
        """Stop those that run; what they have counted is told as if they had come to an end."""
        for query in tuple(self._started):
            if query.isActive:
                query.stop()
