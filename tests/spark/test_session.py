"""What a session on this machine says while it starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.spark
_JOB = "from tocsin.spark import local_session; print(local_session().range(3).count())"


def test_a_session_starts_and_ends_without_a_word_of_spark() -> None:
    told = {"SPARK_CONF_DIR", "SPARK_HOME"}
    plain = {name: value for name, value in os.environ.items() if name not in told}
    found = subprocess.run(
        [sys.executable, "-c", _JOB], capture_output=True, text=True, check=True, env=plain
    )
    # Java itself warns of modules that Spark asks for, whatever is logged.
    said = [line for line in found.stderr.splitlines() if not line.startswith("WARNING: ")]
    assert (found.stdout.strip(), said) == ("3", [])
