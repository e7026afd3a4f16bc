"""The shell around a bucket keeps to what Spark allows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

import pandas as pd
from tests.spark.streaming.simulation import Simulation
from tests.spark.streaming.test_bucket import QUIET, row

from tocsin.errors import ConfigurationError
from tocsin.spark.streaming.columns import CHANGES, EVENTS
from tocsin.spark.streaming.processor import processor


class State:
    """What Spark's state does, as far as it is used."""

    def __init__(self) -> None:
        self.value: tuple[object, ...] | None = None
        self.timeout: int | None = None
        self.watermark = 0

    exists = property(lambda self: self.value is not None)
    get = property(lambda self: self.value)

    def update(self, value: tuple[object, ...]) -> None:
        self.value = value

    def remove(self) -> None:
        self.value = None

    def getCurrentWatermarkMs(self) -> int:  # noqa: N802 - Spark's name
        return self.watermark

    def setTimeoutTimestamp(self, moment: int) -> None:  # noqa: N802
        assert moment > 0
        assert moment >= self.watermark
        self.timeout = moment


def frames(*brought: bytes) -> Iterator[pd.DataFrame]:
    yield pd.DataFrame({EVENTS: list(brought), CHANGES: [None] * len(brought)})


def test_a_bucket_is_called_at_its_deadline_and_then_leaves() -> None:
    query = Simulation(QUIET, delay_ms=0, buckets=1)
    run, state = processor(query.task), State()
    (brought,) = query._brought([row(0, 10_000, "a")]).values()
    assert list(run((0,), frames(*brought), state)) == []
    assert state.timeout == 9_999  # it fires when the watermark is after it
    state.watermark = 10_000
    assert list(run((0,), frames(), state)) == []
    assert state.timeout == 14_999
    state.watermark = 15_000
    assert len(list(run((0,), frames(), state))) == 1
    assert state.value is None


def test_a_checkpoint_of_another_program_is_refused() -> None:
    query, other = (Simulation(QUIET, delay_ms=0, buckets=many) for many in (1, 2))
    state = State()
    (brought,) = query._brought([row(0, 10_000, "a")]).values()
    list(processor(query.task)((0,), frames(*brought), state))
    with pytest.raises(ConfigurationError, match="another number of buckets"):
        list(processor(other.task)((0,), frames(), state))
