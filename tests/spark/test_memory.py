"""Workers keep the memory that they free; the process of the user does not change."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from pyspark.sql import SparkSession

from tocsin.spark import match

USED_AND_FREED = """
import resource, sys
import numpy as np
import pyarrow as pa
from tocsin.spark.memory import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(3 << 20, np.uint8)  # too small for huge pages
        pa.array(np.arange(3 << 17)).cast(pa.float64())
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

if sys.argv[1] == "keep":
    keep_freed_memory()
    keep_freed_memory()
np.ones(40 << 20, np.uint8)
faults()
print(faults(), pa.default_memory_pool().backend_name)
"""


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallopt"), reason="this C library cannot be told to keep memory"
)
def test_what_was_freed_is_used_again() -> None:
    command = [sys.executable, "-c", USED_AND_FREED, "keep"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert int(said[0]) < 768  # 60 MB are 15,360 pages
    assert said[1] == "system"


def test_a_process_whose_memory_is_bounded_gives_it_back() -> None:
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, resource.RLIM_INFINITY))\n"
        f"{USED_AND_FREED}"
    )
    command = [sys.executable, "-c", code, "keep"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert said[1] == pa.default_memory_pool().backend_name


def test_the_process_that_calls_match_is_left_alone(spark: SparkSession) -> None:
    before = pa.default_memory_pool().backend_name
    events = spark.createDataFrame([(1, "a")], "ts long, v string")
    events = events.selectExpr("timestamp_millis(ts) AS ts", "v")
    assert match(events, "SUBSCRIBE s MATCH a:[v = 'a']", time="ts").count() == 1
    assert pa.default_memory_pool().backend_name == before
