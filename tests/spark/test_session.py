"""What a session on this machine says while it starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.spark
_JOB = """
from tocsin.spark import local_session
spark = local_session()
print(spark.range(3).count())
loggers = spark.sparkContext._jvm.org.apache.logging.log4j.LogManager
loggers.getLogger("a.b.Mine").warn("nobody hears this")
loggers.getLogger("a.b.Mine").error("everybody hears this")
"""


def test_a_session_says_nothing_but_errors() -> None:
    told = {"SPARK_CONF_DIR", "SPARK_HOME", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"}
    plain = {name: value for name, value in os.environ.items() if name not in told}
    found = subprocess.run(
        [sys.executable, "-c", _JOB], capture_output=True, text=True, check=True, env=plain
    )
    # Java itself warns of modules that Spark asks for, whatever is logged.
    said = [line for line in found.stderr.splitlines() if not line.startswith("WARNING: ")]
    assert found.stdout.strip() == "3"
    assert [line.partition("ERROR ")[2] for line in said] == ["Mine: everybody hears this"]
