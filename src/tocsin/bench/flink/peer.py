"""Running Flink beside us, on one core, where it is installed."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tocsin.errors import ConfigurationError

PEERS: Final = ("flink",)
_SOURCE: Final = Path("src", "FlinkCepBench.java")
_PROGRAMS: Final = ("java", "javac", "taskset")
_OPENED: Final = (
    "java.util", "java.lang", "java.time", "java.util.concurrent",
    "java.lang.reflect", "java.text", "java.net",
)  # fmt: skip
_ALLOWANCE_S: Final = 120
"""What a process may take on top of its jobs: reading the data, starting, one small job."""


@dataclass(frozen=True, slots=True)
class PeerRun:
    """What the peer made of a variant in its best run.

    `rate` is by the clock from the first event to the last, or by processor time where that is
    better for the peer, as it is on a machine that others use too. A run that was `stopped` for
    its length has the rate it had until then.
    """

    variant: str
    matches: int
    rate: float
    cpu_s: float
    wall_s: float
    stopped: bool


@dataclass(frozen=True, slots=True)
class Flink:
    """Where the peer is.

    Attributes
    ----------
    directory
        Holds the source of its jobs, `src/FlinkCepBench.java`.
    jars
        Holds Flink's own jars.
    """

    directory: Path
    jars: Path

    def compile(self, target: Path) -> None:
        """Compile the jobs.

        Raises
        ------
        ConfigurationError
            The compiler refuses them.
        """
        source = str(self.directory / _SOURCE)
        command = ["javac", "-nowarn", "-cp", f"{self.jars}/*", "-d", str(target), source]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            msg = f"the peer's jobs do not compile: {done.stderr.strip()[-400:]}"
            raise ConfigurationError(msg)

    def run(self, variant: str, data: Path, classes: Path, *, timeout_s: int) -> PeerRun:
        """Run a variant on one core, three times in one process; the best one counts.

        Raises
        ------
        ConfigurationError
            The peer fails; the message shows what it said.
        """
        command = self._command(variant, data, classes, timeout_s)
        limit = 4 * timeout_s + _ALLOWANCE_S
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=limit
            )
        except subprocess.TimeoutExpired as error:
            msg = f"the peer did not end {variant} within {limit} s; give --peer-timeout less"
            raise ConfigurationError(msg) from error
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        jobs = [line for line in lines if line.get("job") == "full" and line["status"] != "error"]
        if not jobs:
            msg = f"the peer failed at {variant}: {(done.stdout + done.stderr).strip()[-400:]}"
            raise ConfigurationError(msg)
        return max((_run_of(job) for job in jobs), key=lambda one: one.rate)

    def _command(self, variant: str, data: Path, classes: Path, timeout_s: int) -> list[str]:
        core = str(max(os.sched_getaffinity(0)))
        logging = self.directory / "log4j2.properties"
        return [
            "taskset", "-c", core, "java", "-Xmx4g",
            *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED),
            f"-Dlog4j.configurationFile={logging}",
            "-cp", f"{classes}:{self.jars}/*", "FlinkCepBench",
            f"data={data}", f"variant={variant}", "par=1", "wm=1000", "netmb=64",
            "iters=3", "tiny=0", f"timeout={timeout_s}",
        ]  # fmt: skip


def find_flink(directory: Path | None) -> Flink:
    """Find the peer.

    Raises
    ------
    ConfigurationError
        Names everything that is missing, and how to get it.
    """
    missing = [f"the program {name}" for name in _PROGRAMS if shutil.which(name) is None]
    if directory is None:
        missing.append("the directory with its jobs (say --peer-dir DIR)")
    elif not (directory / _SOURCE).is_file():
        missing.append(f"the file {directory / _SOURCE}")
    jars = _find_jars()
    if jars is None:
        missing.append(
            "its jars (pip install apache-flink-libraries into a virtual environment, and set "
            "FLINK_VENV to it)"
        )
    if directory is None or jars is None or missing:
        msg = f"the peer flink cannot run; missing: {'; '.join(missing)}"
        raise ConfigurationError(msg)
    return Flink(directory, jars)


def _find_jars() -> Path | None:
    """Look where `FLINK_VENV` points, then into this environment."""
    roots = list(Path(os.environ.get("FLINK_VENV", "")).glob("lib/python*/site-packages/pyflink"))
    spec = importlib.util.find_spec("pyflink")
    if spec is not None and spec.submodule_search_locations:
        roots += [Path(place) for place in spec.submodule_search_locations]
    found = (root / "lib" for root in roots)
    return next((place for place in found if list(place.glob("flink-cep-*.jar"))), None)


def _run_of(job: dict[str, Any]) -> PeerRun:
    is_stopped = job["status"] == "dnf"
    events = job["done_mean"] if is_stopped else job["n"]
    rate = events / max(min(float(job["run_s"]), float(job["cpu_s"])), 1e-9)
    return PeerRun(
        job["variant"], job["matches"], rate, job["cpu_s"], job["wall_s"], stopped=is_stopped
    )
