"""Workers keep the memory that they free; the process of the user does not change."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from pyspark.sql import SparkSession

from tocsin.language.parser import parse
from tocsin.spark import match
from tocsin.spark import work as in_workers
from tocsin.spark.files import splitter
from tocsin.spark.files.shares import Share
from tocsin.spark.work import Part, Task

PROGRAM = "SUBSCRIBE s MATCH a:[v = 'a']"
BOUNDED = "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, resource.RLIM_INFINITY))"
KEEPING = "keep_freed_memory(); keep_freed_memory()"
TAKE_AND_FREE = """
import resource
import pyarrow as pa
from tocsin.spark.memory import keep_freed_memory

def take_and_free():
    for _ in range(5):  # together more than is kept by itself, each small enough for the heap
        held = [b"x" * (20 << 20) for _ in range(8)]
        del held

{first}
take_and_free()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
take_and_free()
after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
print(after - before, pa.default_memory_pool().backend_name)
"""

needs_glibc = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallopt"), reason="this C library cannot be told to keep memory"
)


def faults_and_pool(first: str) -> tuple[int, str]:
    """Return how many pages a process asks for again, and where Arrow takes memory from."""
    command = [sys.executable, "-c", TAKE_AND_FREE.format(first=first)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return int(said[0]), said[1]


@needs_glibc
def test_what_was_freed_is_used_again() -> None:
    usual, _ = faults_and_pool("")
    kept, pool = faults_and_pool(KEEPING)
    assert kept * 10 < usual
    assert pool == "system"


@needs_glibc
def test_a_process_whose_memory_is_bounded_gives_it_back() -> None:
    kept, _ = faults_and_pool(KEEPING)
    bounded, pool = faults_and_pool(f"{BOUNDED}; {KEEPING}")
    assert kept * 10 < bounded
    assert pool == pa.default_memory_pool().backend_name


class Session:
    """Runs what is mapped, where Spark would send it to workers."""

    def range(self, *_: int) -> Session:
        return self

    def mapInArrow(self, run: Callable[[Iterator[pa.RecordBatch]], Any], _: object) -> list[Any]:  # noqa: N802
        return list(run(iter([])))


def test_all_workers_of_match_keep_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(in_workers, "keep_freed_memory", lambda: asked.append("through Spark"))
    monkeypatch.setattr(splitter, "keep_freed_memory", lambda: asked.append("files"))
    monkeypatch.setattr(splitter, "notification_schema", lambda: None)  # it needs a session
    part = Part(parse(PROGRAM))
    task = Task((part,), "ts", None, "ordered")
    assert list(in_workers.worker(task)(iter([]))) == []
    parts = splitter.Parts(None, task, ((part, Share(0, 0)),))  # type: ignore[arg-type]
    assert parts.on(Session()) == []  # type: ignore[arg-type, comparison-overlap]
    assert asked == ["through Spark", "files"]


@pytest.mark.spark
def test_the_process_that_calls_match_is_left_alone(spark: SparkSession) -> None:
    before = pa.default_memory_pool().backend_name
    events = spark.createDataFrame([(1, "a")], "ts long, v string")
    events = events.selectExpr("timestamp_millis(ts) AS ts", "v")
    assert match(events, PROGRAM, time="ts").count() == 1
    assert pa.default_memory_pool().backend_name == before
