"""Spark Connect: all calls with a session whose Spark is another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="needs Spark; `make setup-spark` installs it")
pytest.importorskip("grpc", reason="needs what Connect needs; `make setup` installs it")

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]


def test_a_session_elsewhere_gives_what_one_engine_gives(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    own = {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": paths, "SPARK_TESTING": "1"}  # any port
    inherited = {
        k: v for k, v in os.environ.items() if not k.startswith(("SPARK_REM", "SPARK_CON"))
    }
    job = subprocess.run(
        [sys.executable, "-m", "tests.spark.connect_job", str(tmp_path)],
        cwd=ROOT, env={**inherited, **own}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert job.returncode == 0, job.stderr[-4000:]
    found = json.loads((tmp_path / "answer.json").read_text("utf-8"))
    assert found["is_remote"]
    assert found["batches"] == [True, True]
    assert found["wrong"] == 0
    assert found["told"] == found["distinct"] > found["of"] // 2  # the rest is not certain yet
    assert found["many"][0] == found["many"][1] > 0
    assert found["observed"]["notifications"] == found["sql"] == found["of"]
    assert "Or(EqualTo(" in found["explained"].partition("pushed down to the source:")[2]
    assert found["watched"][0] == found["watched"][1] > 0
    batch, stream = found["pipelines"]
    assert batch["notifications"] == found["of"]
    assert stream["notifications"] == found["told"]
