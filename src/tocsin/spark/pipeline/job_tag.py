"""`JobTag`: a name for the jobs of a thread, by which another one stops them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote


class JobTag:
    """A name that no other run has.

    With Spark Connect it is the session that tags and interrupts. A session without Connect finds
    the tags of its own thread alone, so that there the context does it.
    """

    def __init__(self) -> None:
        self.name = f"tocsin-{uuid.uuid4()}"

    @contextmanager
    def on_jobs(self, spark: SparkSession) -> Iterator[None]:
        """Give the name to the jobs that this thread starts inside of the `with` statement."""
        if is_remote():
            spark.addTag(self.name)
        else:
            spark.sparkContext.addJobTag(self.name)
        try:
            yield
        finally:
            if is_remote():
                spark.removeTag(self.name)
            else:
                spark.sparkContext.removeJobTag(self.name)

    def stop_jobs(self, spark: SparkSession) -> None:
        """Stop the jobs of that name; any thread may ask."""
        if is_remote():
            spark.interruptTag(self.name)
        else:
            spark.sparkContext.cancelJobsWithTag(self.name)
