"""Who waits for the compiler is told so, once."""

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest

from tocsin.engine import Engine, cold_start
from tocsin.engine.cold_start import tell_if_cold
from tocsin.engine.index import predicate_index
from tocsin.engine.linear import lane


def process() -> None:
    """Stand for a kernel."""


def kernel(folder: Path, *, is_loaded: bool = False) -> SimpleNamespace:
    cache = SimpleNamespace(cache_path=str(folder))
    return SimpleNamespace(_cache=cache, signatures=[1] * is_loaded, py_func=process)


def told(one: object, caplog: pytest.LogCaptureFixture) -> bool:
    caplog.clear()
    cold_start._say.cache_clear()
    with caplog.at_level(logging.INFO, logger="tocsin"):
        tell_if_cold(one)
    return "compiling its kernels" in caplog.text


def test_only_a_cold_start_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert told(kernel(tmp_path), caplog)
    assert not told(kernel(tmp_path, is_loaded=True), caplog)
    assert not told(process, caplog)
    (tmp_path / "its_file.process-1.py311.nbi").touch()
    assert not told(kernel(tmp_path), caplog)


def test_it_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert told(kernel(tmp_path), caplog)
    with caplog.at_level(logging.INFO, logger="tocsin"):
        caplog.clear()
        tell_if_cold(kernel(tmp_path))
    assert not caplog.text


@pytest.mark.parametrize("pattern", ["a:[k = 1] ; b:[k = 2]", "a:[k = 1] & b:[k = 2]"])
def test_an_engine_asks_before_it_compiles(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for module in (lane, predicate_index):
        monkeypatch.setattr(module, "tell_if_cold", lambda one: asked.append(one.__name__))
    Engine(f"SUBSCRIBE s MATCH {pattern}").process([{"ts": 0, "k": 1}])
    assert asked
