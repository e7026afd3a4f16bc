"""The kernels as plain Python, where every wrong index is an exception."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_kernels_run_without_the_compiler() -> None:
    here = Path(__file__).parent
    snapshots = here.parent / "engine" / "test_snapshots.py"
    limits = here.parent / "engine" / "test_limits.py"
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         str(here / "test_equals_reference.py"), str(here / "test_single_step.py"),
         str(here / "test_key_order.py"),
         str(snapshots), str(limits)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=here.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-3000:]
