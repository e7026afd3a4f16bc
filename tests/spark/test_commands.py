"""Commands that start Spark."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tocsin.cli import exits
from tocsin.cli.main import app
from tocsin.cli.pipeline import EXAMPLES

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

SWEEP = """
STREAM logins (ts TIMESTAMP, ip STRING, status STRING) TIME ts;
SUBSCRIBE guessing FROM logins
MATCH   d:[status = 'denied' AND ip = $x]{3} BY ; -> s:[status = 'success' AND ip = $x]
WITHIN  {window}
DUPLICATES LAST;
SUBSCRIBE changed FROM logins MATCH [status = 'passwd']
"""
LOGINS = Path(__file__).parents[2] / "examples" / "intrusion" / "logins.jsonl"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable:
    monkeypatch.chdir(tmp_path)
    plain = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words], env=plain)


def test_the_examples_of_pipelines_run_one_after_the_other(run: Callable) -> None:
    for example in EXAMPLES:
        result = run(*example.split()[1:])
        assert result.exit_code == exits.FINE, result.output
        assert ("starting Spark on this machine ..." in result.stderr) == ("run" in example)
        counts = "6 events, 1 dead letter, 2 notifications, 0 refused"
        assert (counts in result.stderr) == ("run" in example)
    assert "notifications  2" in result.stdout
    assert "state          ended" in result.stdout


def test_what_spark_refuses_is_told_in_a_sentence(run: Callable, tmp_path: Path) -> None:
    run("pipeline", "init")
    file = tmp_path / "pipeline.toml"
    text = file.read_text("utf-8").replace('mode = "overwrite"', 'mode = "error"', 1)
    file.write_text(text, encoding="utf-8")
    (tmp_path / "out" / "notifications").mkdir(parents=True)
    result = run("pipeline", "run", file)
    assert result.exit_code == exits.WRONG_USAGE
    assert "Spark says: [PATH_ALREADY_EXISTS]" in result.stderr
    assert "failed" in run("pipeline", "status", file).stdout


@pytest.mark.slow
def test_the_demo_gives_the_same_on_spark(run: Callable, tmp_path: Path) -> None:
    result = run("demo", "--engine", "spark", "--report", "out/report.html")
    assert result.exit_code == exits.FINE, result.output
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Spark batch against embedded engine" in page
    assert "different notifications" not in page


def test_a_back_test_on_spark_equals_the_embedded_one(run: Callable, tmp_path: Path) -> None:
    (tmp_path / "rules.tocsin").write_text(SWEEP, encoding="utf-8")
    (tmp_path / "sweep.csv").write_text("window\n1 min\n1 hour\n", encoding="utf-8")
    common = ("backtest", "rules.tocsin", "-e", LOGINS, "--sweep", "sweep.csv", "--json")
    assert run(*common, "embedded.json").exit_code == exits.FINE
    result = run(*common, "spark.json", "--spark")
    assert result.exit_code == exits.FINE, result.output
    assert result.stderr.startswith("starting Spark on this machine ...\n")
    found = json.loads((tmp_path / "spark.json").read_text("utf-8"))
    assert found == json.loads((tmp_path / "embedded.json").read_text("utf-8"))
    assert [one["count"] for one in found["outcomes"]] == [4, 1, 4]


def test_milliseconds_of_json_are_milliseconds_on_spark(run: Callable, tmp_path: Path) -> None:
    declared = "STREAM s (ts TIMESTAMP, v INTEGER) TIME ts"
    program = f"{declared}; SUBSCRIBE pair FROM s MATCH a:[v = 1] ; b:[v = 2] WITHIN 2 s"
    (tmp_path / "rules.tocsin").write_text(program, encoding="utf-8")
    times: list[object] = [1000, 2500, "1970-01-01T00:00:04Z", 9000, "no time", 9500.5]
    rows = [{"ts": one, "v": 1 + n % 2} for n, one in enumerate(times)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "in.jsonl").write_text(lines, encoding="utf-8")
    common = ("backtest", "rules.tocsin", "-e", "in.jsonl", "--json")
    embedded = run(*common, "embedded.json")
    assert "1 match, 2 dead letters\n  row 4: " in embedded.stderr
    result = run(*common, "spark.json", "--spark")
    assert result.exit_code == exits.FINE, result.exception
    assert "1 match, 2 dead letters\n  the column 'ts' is null: {\"v\": 1}\n" in result.stderr
    found = json.loads((tmp_path / "spark.json").read_text("utf-8"))
    assert found == json.loads((tmp_path / "embedded.json").read_text("utf-8"))
    assert found["outcomes"][0]["count"] == 1


def test_a_column_without_values_is_what_is_declared(run: Callable, tmp_path: Path) -> None:
    """Spark takes it for texts, of which none is an integer, and texts of digits for integers."""
    declared = "STREAM s (ts TIMESTAMP, v INTEGER, code INTEGER, door STRING) TIME ts"
    program = f"{declared}; SUBSCRIBE pair FROM s MATCH a:[v = 1 AND door = '007'] ; b:[v = 2]"
    (tmp_path / "rules.tocsin").write_text(program, encoding="utf-8")
    lines = "ts,v,code,door\n1000,1,,007\n2000,2,,008\n"
    (tmp_path / "in.csv").write_text(lines, encoding="utf-8")
    result = run("backtest", "rules.tocsin", "-e", "in.csv", "--spark")
    assert result.exit_code == exits.FINE, result.output
    assert "1 match, 0 dead letters" in result.stderr


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_back_test_on_spark_takes_simultaneous_events_as_they_are_read(
    run: Callable, tmp_path: Path, form: str
) -> None:
    program = "SUBSCRIBE pair MATCH a:[v = $v] , b:[v > $v]"
    (tmp_path / "rules.tocsin").write_text(program, encoding="utf-8")
    rows = [{"ts": 1000 * (i // 10), "v": i * 7 % 11} for i in range(60)]
    folder = tmp_path / "two files, 100% é+"
    folder.mkdir()
    for number, part in enumerate((rows[:15], rows[15:])):  # Spark reads larger files first
        if form == "parquet":
            pq.write_table(pa.Table.from_pylist(part), folder / f"{number}.parquet")
        else:
            lines = "".join(json.dumps(row) + "\n" for row in part)
            (folder / f"{number}.jsonl").write_text(lines, encoding="utf-8")
    common = ("backtest", "rules.tocsin", "-e", str(folder), "--json")
    assert run(*common, "embedded.json").exit_code == exits.FINE
    assert run(*common, "spark.json", "--spark").exit_code == exits.FINE
    found = json.loads((tmp_path / "spark.json").read_text("utf-8"))
    assert found == json.loads((tmp_path / "embedded.json").read_text("utf-8"))
    assert found["outcomes"][0]["count"] > 20


def test_a_back_test_of_an_empty_file_says_so(run: Callable, tmp_path: Path) -> None:
    (tmp_path / "rules.tocsin").write_text("SUBSCRIBE s MATCH a:[v = 1]", encoding="utf-8")
    (tmp_path / "empty.csv").touch()
    result = run("backtest", "rules.tocsin", "-e", "empty.csv", "--time", "ts", "--spark")
    assert result.exit_code == exits.WRONG_USAGE
    assert "the CSV files are empty" in result.stderr
