"""The layout of a stream beside its checkpoint, so that a restart is judged before it runs.

Buckets refuse the state of another layout, but only those that have some, and only when a
micro-batch comes to them. So a query that is told its checkpoint writes down there what it began
with. Spark reads and writes it: it alone reaches all places where a checkpoint may lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tocsin.errors import ConfigurationError
from tocsin.spark.streaming.layout import Layout

_FOLDER: Final = "tocsin_layout"
_MISSING: Final = "PATH_NOT_FOUND"
_WILD: Final = re.compile(r"([*?\[\]{}\\])")


class KeptLayout:
    """What a query began with; nothing where it begins, or nobody said where its checkpoint is.

    Attributes
    ----------
    offsets
        How far its sources were at some micro-batch, as Spark writes it.
    """

    def __init__(self, session: SparkSession, checkpoint: str | None) -> None:
        if checkpoint is not None and not checkpoint.strip():
            msg = "checkpoint= is empty; name the folder that the query is given, or leave it out"
            raise ConfigurationError(msg)
        self._session, self._checkpoint = session, checkpoint
        self.offsets = "" if checkpoint is None else self._read("offsets")
        self.layout = self._kept() if self.offsets else None

    def ties(self, known: Iterable[str]) -> tuple[str, ...]:
        """Return which of the known columns order events of equal time: those it began with."""
        return tuple(n for n in known if self.layout is None or n in self.layout.ties)

    def settle(self, layout: Layout) -> None:
        """See that a query goes on as it began; where it begins, write down how.

        Raises
        ------
        ConfigurationError
            It does not; what differs is told. Or Spark does not reach the checkpoint.
        """
        if self.layout is not None:
            layout.check(self.layout.to_text())
        elif self._checkpoint is not None and not self.offsets:
            text = self._session.range(1).select(F.lit(layout.to_text()).alias("value"))
            try:
                text.coalesce(1).write.mode("overwrite").text(f"{self._checkpoint}/{_FOLDER}")
            except (PySparkException, Py4JJavaError) as error:
                raise self._out_of_reach(error) from error

    def _kept(self) -> Layout | None:
        """Return what was written; a checkpoint without it is left to the buckets."""
        found = self._read(_FOLDER)
        return Layout.of_text(found) if found else None

    def _read(self, folder: str) -> str:
        """Return a first text of a folder, nothing where there is none."""
        path = _WILD.sub(r"\\\1", f"{self._checkpoint}/{folder}")
        try:
            frame: DataFrame = self._session.read.text(path, wholetext=True)
            row = frame.select("value").first()
        except AnalysisException as error:
            if error.getCondition() != _MISSING:
                raise self._out_of_reach(error) from error
            return ""
        except (PySparkException, Py4JJavaError) as error:
            raise self._out_of_reach(error) from error
        return "" if row is None else str(row[0]).strip()

    def _out_of_reach(self, error: Exception) -> ConfigurationError:
        said = str(getattr(error, "java_exception", error)).strip().splitlines()[0]
        msg = f"Spark does not reach checkpoint='{self._checkpoint}': {said}"
        return ConfigurationError(msg)
