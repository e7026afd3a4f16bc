"""`tocsin backtest` with the embedded engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tocsin.cli import exits
from tocsin.engine import cold_start
from tocsin.engine.linear import lane

RULES = """
SUBSCRIBE high MATCH [price > {limit} AND symbol = $s];
SUBSCRIBE rise MATCH a:[symbol = $s] , b:[symbol = $s AND price > a.price];
SUBSCRIBE never MATCH [price > 1000]
"""
PRICES = [
    {"ts": 1000 * i, "symbol": "ab"[i % 2 if i < 4 else 0], "price": price}
    for i, price in enumerate([10, 20, 30, 40, 50, 60])
]


@pytest.fixture
def counts(tmp_path: Path, tocsin: Callable, monkeypatch: pytest.MonkeyPatch) -> Callable:
    """Run a back-test with a sweep over limits and return its outcomes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.tocsin").write_text(RULES, encoding="utf-8")
    (tmp_path / "sweep.csv").write_text("limit\n15\n35\n", encoding="utf-8")
    lines = "".join(json.dumps(row) + "\n" for row in PRICES)
    (tmp_path / "prices.jsonl").write_text(lines, encoding="utf-8")

    def run(*more: object, events: str = "prices.jsonl") -> list[dict[str, Any]]:
        common = ("backtest", "rules.tocsin", "-e", events, "--sweep", "sweep.csv")
        result = tocsin(*common, "--json", "counts.json", *more)
        assert result.exit_code == exits.FINE, result.output
        found: list[dict[str, Any]] = json.loads((tmp_path / "counts.json").read_text("utf-8"))[
            "outcomes"
        ]
        return found

    return run


def test_every_row_of_a_sweep_is_counted_with_its_keys(counts: Callable) -> None:
    rise, never, *high = counts()
    assert (rise["subscription"], rise["count"], rise["keys"]) == ("rise", 1, {"s=a": 1})
    assert (never["count"], never["first"], never["keys"]) == (0, None, {})
    assert [one["parameters"] for one in high] == [{"limit": 15}, {"limit": 35}]
    assert [one["count"] for one in high] == [5, 3]
    assert high[0]["keys"] == {"s=a": 3, "s=b": 2}
    assert (high[1]["first"], high[1]["last"]) == ("1970-01-01T00:00:03Z", "1970-01-01T00:00:05Z")


def test_parquet_files_of_a_directory_are_put_in_order(counts: Callable, tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    pq.write_table(pa.Table.from_pylist(PRICES[3:]), tmp_path / "history" / "a.parquet")
    pq.write_table(pa.Table.from_pylist(PRICES[2::-1]), tmp_path / "history" / "b.parquet")
    assert counts(events="history") == counts()


def test_a_bad_row_of_parquet_is_told_by_its_place_in_its_file(
    counts: Callable, tmp_path: Path, tocsin: Callable
) -> None:
    """Rows are put in the order of time, where those without one come last."""
    (tmp_path / "history").mkdir()
    for name, rows in (("a", PRICES[:3]), ("b", PRICES[3:])):
        bad = [rows[0], {**rows[1], "ts": None}, rows[2]]
        pq.write_table(pa.Table.from_pylist(bad), tmp_path / "history" / f"{name}.parquet")
    common = ("backtest", "rules.tocsin", "--sweep", "sweep.csv", "-e")
    whole = tocsin(*common, "history").stderr
    assert "row 1 of history/a.parquet: attribute 'ts' is missing" in whole
    assert "row 1 of history/b.parquet: attribute 'ts' is missing" in whole
    one = tocsin(*common, "history/b.parquet").stderr
    assert "row 1: attribute 'ts' is missing" in one
    assert len(counts(events="history")) == 4


def test_counts_are_drawn(counts: Callable, tmp_path: Path) -> None:
    counts("--plot", "counts.svg")
    drawn = (tmp_path / "counts.svg").read_text("utf-8")
    assert drawn.count("Matches over history") == 1
    assert "high: matches by its parameters" in drawn


def test_a_table_is_shown(tocsin: Callable, project: Path) -> None:
    result = tocsin("backtest", "rules.tocsin", "-e", "events.jsonl")
    assert "order=A-2 (1)" in result.stdout
    assert "2 matches, 0 dead letters" in result.stderr
    assert project.exists()


@pytest.mark.parametrize("command", ["backtest", "run"])
@pytest.mark.usefixtures("project")
def test_who_waits_for_the_compiler_is_told_without_a_terminal(
    tocsin: Callable, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    cold_start._say.cache_clear()
    monkeypatch.setattr(lane, "tell_if_cold", lambda _: cold_start._say())
    result = tocsin(command, "rules.tocsin", "-e", "events.jsonl")
    assert result.exit_code == exits.FINE, result.output
    assert result.stderr.count("tocsin: compiling its kernels") == 1
    again = tocsin(command, "rules.tocsin", "-e", "events.jsonl")
    assert "compiling" not in again.stderr


@pytest.mark.parametrize(
    ("rules", "words", "told"),
    [
        ("SUBSCRIBE a MATCH [x = {n}]", "", "have parameters ({n}); say --sweep FILE"),
        (
            "SUBSCRIBE a MATCH [x = 1]",
            "--sweep sweep.csv",
            "leave --sweep out, or write one",
        ),
        (
            "SUBSCRIBE a MATCH [n = {limit}] EMIT 1 AS x INTO d",
            "--sweep sweep.csv",
            "feeds the stream 'd'",
        ),
        (
            "SUBSCRIBE a MATCH [x = 1] WITHIN {wait}",
            "--sweep waits.csv",
            "row 2, column 'wait': ",
        ),
        (
            "SUBSCRIBE a FROM one MATCH [x = 1]; SUBSCRIBE b FROM two MATCH [x = 1]",
            "--stream three",
            "--stream three: no subscription reads a stream of this name",
        ),
        ("SUBSCRIBE a MATCH [x = 1]", "-e nothing", "there is no file or directory nothing"),
        ("SUBSCRIBE a MATCH [x = 1]", "--plot no/a.svg", "its directory is not there"),
        ("SUBSCRIBE a MATCH [", "--plot a.xyz", "its ending is none of "),
        ("SUBSCRIBE a MATCH [", "--plot a", "a cannot be drawn: it has no ending; say a.svg"),
    ],
)
@pytest.mark.usefixtures("counts")
def test_a_wrong_back_test_is_refused(
    tocsin: Callable, tmp_path: Path, rules: str, words: str, told: str
) -> None:
    (tmp_path / "wrong.tocsin").write_text(rules, encoding="utf-8")
    (tmp_path / "waits.csv").write_text("limit,wait\n1,1 min\n2,1 minit\n", encoding="utf-8")
    result = tocsin("backtest", "wrong.tocsin", "-e", "prices.jsonl", *words.split())
    assert result.exit_code == exits.WRONG_USAGE
    assert told in " ".join(result.stderr.split())


@pytest.mark.parametrize("events", ["prices.jsonl", "prices.parquet"])
@pytest.mark.usefixtures("counts")
def test_events_of_a_stream_that_nobody_reads_are_told(
    tocsin: Callable, tmp_path: Path, events: str
) -> None:
    rules = "SUBSCRIBE a FROM one MATCH [price > 15]; SUBSCRIBE b FROM two MATCH [price > 15]"
    (tmp_path / "two.tocsin").write_text(rules, encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(PRICES), tmp_path / "prices.parquet")
    result = tocsin("backtest", "two.tocsin", "-e", events)
    told = "note: 6 rows of stream 'default': no subscription reads it. They read one, two."
    assert told in " ".join(result.stderr.split())
    result = tocsin("backtest", "two.tocsin", "-e", events, "--stream", "one")
    assert "note:" not in result.stderr
    assert "5 matches" in result.stderr


@pytest.mark.parametrize("in_seconds", [True, False])
@pytest.mark.parametrize("options", [(), pytest.param(("--spark",), marks=pytest.mark.spark)])
@pytest.mark.usefixtures("counts")
def test_seconds_in_parquet_are_told(
    tocsin: Callable, tmp_path: Path, options: tuple[str, ...], *, in_seconds: bool
) -> None:
    (tmp_path / "one.tocsin").write_text("SUBSCRIBE a MATCH [price > 15]", encoding="utf-8")
    times = [(1 if in_seconds else 1000) * (1_700_000_000 + n) for n in range(3)]
    table = pa.table({"ts": times, "price": [10, 20, 30]})
    pq.write_table(table, tmp_path / "prices.parquet")
    result = tocsin("backtest", "one.tocsin", "-e", "prices.parquet", *options)
    told = "note: the times of stream 'default' lie in January 1970: are they seconds?"
    assert (told in " ".join(result.stderr.split())) == in_seconds
    assert "2 matches" in result.stderr
