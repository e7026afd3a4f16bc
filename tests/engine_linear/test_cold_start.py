"""Who waits for the compiler is told so, once."""

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest

from tocsin.engine.linear.cold_start import tell_if_cold


def process() -> None:
    """Stand for a kernel."""


def kernel(folder: Path, *, is_loaded: bool = False) -> SimpleNamespace:
    cache = SimpleNamespace(cache_path=str(folder))
    return SimpleNamespace(_cache=cache, signatures=[1] * is_loaded, py_func=process)


def told(one: object, caplog: pytest.LogCaptureFixture) -> bool:
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="tocsin"):
        tell_if_cold(one)
    return "compiling its kernels" in caplog.text


def test_only_a_cold_start_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert told(kernel(tmp_path), caplog)
    assert not told(kernel(tmp_path, is_loaded=True), caplog)
    assert not told(process, caplog)
    (tmp_path / "process.process-1.py311.nbi").touch()
    assert not told(kernel(tmp_path), caplog)
