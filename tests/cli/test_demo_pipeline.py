"""The demo as a pipeline: its events, and its report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tocsin as library
from tocsin.cli import exits
from tocsin.cli.demo_events import demo_events

PROGRAM = Path(__file__).parents[2] / "src" / "tocsin" / "cli" / "pipeline_demo" / "alarms.tocsin"


def test_the_events_are_the_same_each_time_and_in_order() -> None:
    events = demo_events(visits=200)
    assert events.equals(demo_events(visits=200))
    moments = events["ts"].to_pylist()
    assert moments == sorted(moments)
    assert events["n"].to_pylist() == list(range(events.num_rows))


def test_every_subscription_of_the_demo_matches() -> None:
    found = library.match(demo_events(), PROGRAM)
    assert {one.subscription for one in found} == {
        "intrusion", "spraying", "left_open", "two_places", "leak",
    }  # fmt: skip


def test_the_report_of_the_embedded_engine_needs_no_other_file(
    tocsin: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = tocsin("demo", "--engine", "embedded", "--report", "out/report.html")
    assert result.exit_code == exits.FINE, result.output
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "SUBSCRIBE intrusion FROM logins" in page
    assert "group 1: by key logins.ip (intrusion, spraying)" in page
    assert 'src="data:image/svg+xml;base64,' in page
    assert 'src="http' not in page
    assert "href" not in page
