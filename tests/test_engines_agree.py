"""The shipped examples give the same notifications on every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tocsin

EXAMPLES = Path(__file__).parent.parent / "examples"
RUNS = [
    ("intrusion/intrusion.tocsin", "intrusion/logins.jsonl"),
    ("intrusion/compromised.tocsin", "intrusion/table1.jsonl"),
    ("sensors/sensors.tocsin", "sensors/readings.jsonl"),
    ("workflow/workflow.tocsin", "workflow/jobs.jsonl"),
    ("feeds/feeds.tocsin", "feeds/items.jsonl"),
    ("ssh/ssh.tocsin", "ssh/ssh_server_sample.parquet"),
]


@pytest.mark.parametrize(("program", "events"), RUNS)
def test_an_example_gives_the_same_on_both_engines(program: str, events: str) -> None:
    text, path = (EXAMPLES / program).read_text(encoding="utf-8"), str(EXAMPLES / events)
    wanted = tocsin.match(path, text, engine="reference")
    assert len(wanted) > 0
    assert tocsin.match(path, text, engine="compiled") == wanted


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_the_clock_can_be_advanced_at_the_end(engine: Any) -> None:
    text = "SUBSCRIBE s MATCH a:[k = 'a'] ; !b:[k = 'b'] FOR 10 s"
    rows = [{"ts": 0, "k": "a"}, {"nothing": 1}]
    found = tocsin.match(rows, text, engine=engine, clock=10_000)
    assert [n.at for n in found] == [10_000_000]
    assert len(found.dead_letters) == 1
    with pytest.raises(tocsin.ConfigurationError, match="clock"):
        tocsin.match(rows, text, engine=engine, clock="noon")


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(tocsin.ConfigurationError, match="'reference' or 'compiled'"):
        tocsin.match([], "SUBSCRIBE s MATCH [k = 1]", engine="warp")  # type: ignore[arg-type]
