"""The shell around a bucket keeps to what Spark allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("int", "string", "'v' is a string, and was a int when .* cast it to int, or begin with"),
        (None, "int", "'v' was not there when the checkpoint was made; leave it out, or begin"),
        ("int", None, "'v' is gone, which was there when the checkpoint was made; bring it back"),
    ],
)
def test_a_checkpoint_of_other_columns_is_refused_by_name(
    before: str | None, after: str | None, said: str
) -> None:
    tasks = []
    for of in (before, after):
        task = Simulation("", delay_ms=0, buckets=1).task
        tasks.append(replace(task, types={"ts": "bigint"} | ({"v": of} if of else {})))
    query, state = Simulation("", delay_ms=0, buckets=1), State()
    (brought,) = query._brought([row(0, 10_000, "a")]).values()
    list(processor(tasks[0])((0,), frames(*brought), state))
    list(processor(tasks[0])((0,), frames(), state))
    with pytest.raises(ConfigurationError, match=said):
        list(processor(tasks[1])((0,), frames(), state))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("0123456789abcdef", "an older version .* '0123456789abcdef', of form 0, .* reads form 3"),
        ("1234567890123456", "an older version of tocsin has written this checkpoint"),
        (
            "{broken",
            "what the checkpoint tells of its state is broken: '{broken'; begin with a",
        ),
        ('{"columns": {}, "plan": "1f"}', "an older version .* of form 1, .* go on with the vers"),
        ('{"form": 4}', "a newer version of tocsin .* of form 4, .* or begin with a new checkpoi"),
    ],
)
def test_a_state_that_another_tocsin_wrote_is_refused(written: str, said: str) -> None:
    state = State()
    state.value = (written, None, None, None)
    with pytest.raises(ConfigurationError, match=said):
        list(processor(Simulation(QUIET, delay_ms=0).task)((0,), frames(), state))


def test_times_before_1970_become_those_of_spark() -> None:
    query = Simulation(QUIET, delay_ms=0, buckets=1, start_ms=-50_000)
    run, state = processor(query.task), State()
    (brought,) = query._brought([row(0, -40_000, "a")]).values()
    list(run((0,), frames(*brought), state))
    assert state.timeout == 10_000  # 50 s before 1970 is 1 ms for Spark, since 0 means nothing
    state.watermark = 10_001
    list(run((0,), frames(), state))
    assert state.timeout == 15_000
