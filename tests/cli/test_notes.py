"""What a run says about streams that nobody reads, and times and names that look wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tocsin.cli.notes import Watch
from tocsin.language.parser import parse


def _notes(text: str, *rows: dict, **options: str) -> list[str]:
    watch = Watch(parse(text), **options)
    for row in rows:
        watch.look(row)
    return watch.notes()


ONE = "SUBSCRIBE s FROM logins MATCH a:[result = 'denied']"


def test_ordinary_events_need_no_note() -> None:
    assert _notes(ONE, {"ts": 0, "result": "denied"}, {"ts": 1000, "result": "no"}) == []
    assert _notes(ONE, {"ts": "2026-01-01", "result": "denied"}) == []
    assert _notes(ONE, {"ts": 1_700_000_000_000, "result": "denied"}) == []


def test_events_without_a_time_are_told() -> None:
    row = {"when": 0, "result": "denied"}
    assert _notes(ONE, row) == [
        "no ts, time or timestamp in the events of stream 'logins': all happen at the clock's "
        "time; say --time NAME"
    ]
    assert _notes(ONE, row, time="when") == []
    assert _notes(ONE, row, {"$clock": 5}) == []
    declared = f"STREAM logins (result STRING); {ONE}"
    assert _notes(declared, row)[0].startswith("stream 'logins' is declared without TIME: ")


def test_seconds_that_are_read_as_milliseconds_are_told() -> None:
    rows = [{"ts": 1_700_000_000 + n, "result": "denied"} for n in range(2)]
    assert _notes(ONE, *rows) == [
        "the times of stream 'logins' lie in January 1970: are they seconds? They are read as "
        "milliseconds"
    ]
    assert _notes(ONE, *rows, {"ts": "2026-01-01", "result": "denied"}) == []


def test_rows_that_nobody_reads_are_counted() -> None:
    rows = [{"$stream": "logns", "ts": n} for n in range(2)]
    assert _notes(ONE, *rows) == [
        "2 rows of stream 'logns': no subscription reads it. Did you mean 'logins'?"
    ]


def test_a_subscription_that_came_on_the_way_reads_too() -> None:
    added = {"$subscribe": "SUBSCRIBE t FROM doors MATCH [state = 'open']"}
    rows = [{"$stream": "doors", "ts": 0, "state": "open"}]
    assert _notes(ONE, added, {"$subscribe": "nonsense"}, *rows) == []


def test_attributes_that_no_event_has_are_told() -> None:
    text = """DEFINE bad AS reslut = 'denied' AND why IS MISSING;
    SUBSCRIBE s FROM logins MATCH a:bad -> b:[count(a) > 0] EMIT a.ip AS ip"""
    assert _notes(text, {"ts": 0, "result": "denied"}) == [
        "attribute 'reslut' was in no event; did you mean 'result'?",
        "attribute 'ip' was in no event",
    ]
    assert _notes(f"STREAM logins (ts TIMESTAMP) TIME ts; {text}", {"ts": 0}) == []
    assert _notes(text) == []


def test_many_notes_are_cut() -> None:
    names = " AND ".join(f"x{n} = 1" for n in range(9))
    assert _notes(f"SUBSCRIBE s MATCH [{names}]", {"ts": 0})[-1] == "… and 4 more notes"


@pytest.mark.usefixtures("project")
def test_notes_stand_below_the_summary(tocsin: Callable, project: Path) -> None:
    (project / "one.tocsin").write_text(ONE, encoding="utf-8")
    (project / "one.jsonl").write_text(json.dumps({"ts": 0, "reslut": 1}) + "\n", encoding="utf-8")
    result = tocsin("run", "one.tocsin", "-e", "one.jsonl")
    assert result.stderr.splitlines()[-1] == (
        "note: attribute 'result' was in no event; did you mean 'reslut'?"
    )
    assert tocsin("run", "one.tocsin", "-e", "one.jsonl", "-q").stderr == ""


def test_long_input_is_warned_of(tocsin: Callable, project: Path) -> None:
    (project / "one.tocsin").write_text(ONE, encoding="utf-8")
    rows = "".join(json.dumps({"ts": n, "result": "ok"}) + "\n" for n in range(1_001))
    (project / "many.jsonl").write_text(rows, encoding="utf-8")
    said = tocsin("run", "one.tocsin", "-e", "many.jsonl", "--engine", "reference").stderr
    assert said.startswith("more than 1,000 rows: the reference engine is made for hundreds of ")
    assert tocsin("run", "one.tocsin", "-e", "many.jsonl", "-q").stderr == ""
