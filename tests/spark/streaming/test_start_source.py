"""The source that moves whenever a query starts."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark import cloudpickle

from tocsin.spark.streaming.columns import PACKED
from tocsin.spark.streaming.start_source import starts_of

pytestmark = pytest.mark.spark

ASKED = """
import pickle, sys
sys.modules["tocsin"] = None  # whoever imports it fails
source = pickle.loads(sys.stdin.buffer.read())({})
reader = source.streamReader(None)
assert reader.latestOffset() == reader.initialOffset() != source.streamReader(None).latestOffset()
assert reader.partitions({}, {}) == []
print(source.schema())
"""


class Session:
    """A session as far as it is asked: it keeps what Spark would send to its processes."""

    version = "4.2.0"
    sent = b""

    def __init__(self) -> None:
        self.dataSource = SimpleNamespace(register=self.keep)  # Spark's name
        self.readStream = SimpleNamespace(format=lambda _: SimpleNamespace(load=lambda: "a frame"))

    def keep(self, source: type) -> None:
        self.sent = cast(Any, cloudpickle).dumps(source)


def test_where_spark_asks_it_nothing_of_tocsin_is_loaded() -> None:
    session = cast(Any, Session())
    assert starts_of(session, "") == "a frame"
    told = subprocess.run(
        [sys.executable, "-c", ASKED], input=session.sent, capture_output=True, check=True
    )
    assert told.stdout.decode().strip() == PACKED


def test_several_threads_may_start_queries_at_once() -> None:
    def start(_: int) -> bytes:
        session = cast(Any, Session())
        keep = session.keep
        session.dataSource.register = lambda source: (time.sleep(0.05), keep(source))
        starts_of(session, "")
        return bytes(session.sent)

    with ThreadPoolExecutor(4) as pool:
        sent = set(pool.map(start, range(4)))
    assert all(len(one) > 1_000 for one in sent)  # by name it would be a line


def test_a_query_that_began_without_it_goes_on_without() -> None:
    session = cast(Any, Session())
    assert starts_of(session, '{"some": "offset"}') is None
    assert session.sent == b""
