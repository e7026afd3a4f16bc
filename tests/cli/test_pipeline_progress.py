"""What whoever waits for a pipeline sees."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tocsin.cli.pipeline_progress import Following


def test_without_a_terminal_a_line_comes_every_so_often(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0
    console = Console(file=io.StringIO(), force_terminal=False)
    with Following(console, clock=lambda: now) as shown:
        shown.tell("matching 1 subscription")
        for place in range(5):
            now = place * 4.0
            shown.watch(f"{place} batches")
    assert capsys.readouterr().err.splitlines() == [
        "matching 1 subscription", "0 batches", "3 batches",
    ]  # fmt: skip


def test_in_a_terminal_one_line_changes_below_what_was_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=80, color_system=None)
    with Following(console, clock=lambda: 0.0) as shown:
        shown.watch("1 batch")
        shown.tell("a sentence")
        shown.watch("2 batches")
        assert shown.line is not None
        assert shown.line.status == "2 batches"
    assert "a sentence\n" in written.getvalue()


def test_what_comes_after_the_end_starts_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=80, color_system=None)
    with Following(console, clock=lambda: 0.0) as shown:
        shown.watch("1 batch")
    before = written.getvalue()
    shown.watch("2 batches")
    assert written.getvalue() == before
