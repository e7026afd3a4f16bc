"""Without the compiler a wrong index raises instead of reading past the end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_index_gives_the_same_answers_without_the_compiler() -> None:
    here = Path(__file__).parent
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(here)]
    found = subprocess.run(
        [*command, "--deselect", str(Path(__file__)), "-m", "not slow"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-4000:]
