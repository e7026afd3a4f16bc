"""A standalone cluster: a master and a worker as processes of their own, on this machine."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pyspark = pytest.importorskip("pyspark", reason="needs Spark; `make setup-spark` installs it")

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]

HOME = Path(pyspark.__file__).parent
ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def environment() -> dict[str, str]:
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    own = {"SPARK_HOME": str(HOME), "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": paths}
    return {**os.environ, **own}


@pytest.fixture
def master(tmp_path: Path, environment: dict[str, str]) -> Iterator[str]:
    port, ui, worker_ui = free_port(), free_port(), free_port()
    address = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    commands = {
        "master": [f"{deploy}.master.Master", "--port", port, "--webui-port", ui],
        "worker": [f"{deploy}.worker.Worker", "--cores", 2, "--memory", "2g", "--webui-port",
                   worker_ui, "--work-dir", tmp_path / "work", address],
    }  # fmt: skip
    running = []
    try:
        for name, (what, *options) in commands.items():
            with (tmp_path / f"{name}.log").open("w", encoding="utf-8") as log:
                line = [HOME / "bin" / "spark-class", what, "--host", "127.0.0.1", *options]
                running.append(
                    subprocess.Popen([*map(str, line)], stdout=log, stderr=log, env=environment)
                )
            wait_for(tmp_path / f"{name}.log", "Starting Spark master" if name == "master"
                     else "Successfully registered with master")  # fmt: skip
        yield address
    finally:
        for one in running:
            one.terminate()
            one.wait(60)


def wait_for(log: Path, text: str) -> None:
    for _ in range(600):
        if text in log.read_text("utf-8"):
            return
        time.sleep(0.2)
    pytest.fail(f"{log.name} does not say '{text}': {log.read_text('utf-8')[-2000:]}")


def test_a_cluster_gives_what_one_engine_gives(
    master: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    job = subprocess.run(
        [sys.executable, "-m", "tests.spark.cluster_job", master, str(tmp_path)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert job.returncode == 0, job.stderr[-4000:]
    found = json.loads((tmp_path / "answer.json").read_text("utf-8"))
    assert found["batches"] == [True, True]
    assert found["wrong"] == 0
    assert found["told"] == found["distinct"] > found["of"] // 2  # the rest is not certain yet
