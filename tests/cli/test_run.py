"""`tocsin run`: where events come from and where notifications go."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from tocsin.cli import exits, inputs
from tocsin.cli.tables import table_lines

EXAMPLES = Path(__file__).parents[2] / "examples"


def _lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_several_files_follow_one_another(tocsin: Callable, project: Path) -> None:
    first, rest = project / "first.jsonl", project / "rest.jsonl"
    lines = (project / "events.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    first.write_text("".join(lines[:2]) + "no JSON\n", encoding="utf-8")
    rest.write_text("".join(lines[2:]), encoding="utf-8")
    result = tocsin("run", "rules.tocsin", "-e", first, "-e", rest, "-f", "jsonl")
    assert [line["events"] for line in _lines(result.stdout)] == [
        {"placed": [1]},
        {"paid": [3], "back": [6]},
    ]
    assert "6 events, 2 notifications, 1 dead letter\n  row 2: " in result.stderr


def test_events_come_from_standard_input(tocsin: Callable, project: Path) -> None:
    events = (project / "events.jsonl").read_bytes()
    result = tocsin("run", "rules.tocsin", "-e", "-", "-f", "jsonl", "-q", stdin=events)
    assert len(_lines(result.stdout)) == 2
    assert result.stderr == ""


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "a.txt"])
def test_the_name_of_the_output_tells_its_form(name: str, tocsin: Callable, project: Path) -> None:
    result = tocsin("run", "rules.tocsin", "-e", "events.jsonl", "-o", name)
    assert result.exit_code == exits.FINE
    assert result.stdout == ""
    path = project / name
    if name.endswith(".parquet"):
        names = pq.read_table(path).column("subscription").to_pylist()
    elif name.endswith(".csv"):
        rows = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
        names = [row["subscription"] for row in rows]
    elif name.endswith(".jsonl"):
        names = [row["subscription"] for row in _lines(path.read_text(encoding="utf-8"))]
    else:
        lines = path.read_text(encoding="utf-8").splitlines()[2:]
        names = [line.split()[1] for line in lines]
    assert names == ["unpaid", "returned"]


def test_dead_letters_go_to_a_file(tocsin: Callable, project: Path) -> None:
    (project / "bad.jsonl").write_text('{"ts": "then"}\n[]\n', encoding="utf-8")
    result = tocsin("run", "rules.tocsin", "-e", "bad.jsonl", "--dead-letters", "dead.jsonl")
    letters = _lines((project / "dead.jsonl").read_text(encoding="utf-8"))
    assert [letter["row"] for letter in letters] == [0, 1]
    assert [sorted(letter) for letter in letters] == [["kind", "raw", "reason", "row"]] * 2
    assert result.exit_code == exits.FINE
    assert result.stderr == "0 events, 0 notifications, 2 dead letters\n"


def test_dead_letters_fail_a_strict_run(tocsin: Callable, project: Path) -> None:
    (project / "bad.jsonl").write_text("[]\n", encoding="utf-8")
    assert tocsin("run", "rules.tocsin", "-e", "bad.jsonl", "--strict").exit_code == 3
    assert tocsin("run", "rules.tocsin", "-e", "events.jsonl", "--strict").exit_code == 0


def test_the_clock_can_be_advanced_at_the_end(tocsin: Callable, project: Path) -> None:
    (project / "one.jsonl").write_text('{"ts": 0, "x": 1}\n', encoding="utf-8")
    (project / "one.tocsin").write_text(
        "SUBSCRIBE s MATCH a:[x = 1] ; !b:[x = 2] FOR 5 s", encoding="utf-8"
    )
    for clock, count in (("4999", 0), ("5000", 1), ("1970-01-01T00:00:05Z", 1)):
        result = tocsin("run", "one.tocsin", "-e", "one.jsonl", "--clock", clock, "-f", "jsonl")
        assert len(_lines(result.stdout)) == count, result.output


def test_time_stream_and_simultaneity_are_options(tocsin: Callable, project: Path) -> None:
    (project / "two.jsonl").write_text(
        '{"when": 5, "x": 1}\n{"when": 5, "x": 2}\n', encoding="utf-8"
    )
    (project / "two.tocsin").write_text(
        "SUBSCRIBE s FROM q MATCH a:[x = 1] ; b:[x = 2]", encoding="utf-8"
    )
    options = ("run", "two.tocsin", "-e", "two.jsonl", "-f", "jsonl", "--time", "when")
    (found,) = _lines(tocsin(*options, "--stream", "q").stdout)
    assert found["at"] == 5
    assert tocsin(*options, "--simultaneous", "unordered").stdout == ""
    assert tocsin(*options, "--stream", "other").stdout == ""


TOWNS = "STREAM s (ts TIMESTAMP, zip STRING, n INTEGER) TIME ts;\n"


def test_cells_of_a_table_are_text_where_the_program_needs_text(
    tocsin: Callable, project: Path
) -> None:
    text = f"{TOWNS}SUBSCRIBE at_{{who}} MATCH [zip = {{zip}} AND n > {{n}}]"
    (project / "zip.tocsin").write_text(text, encoding="utf-8")
    (project / "zip.csv").write_text("who;zip;n\nann;80331;1\nbob;1a;2\n", encoding="utf-8")
    (project / "zip.jsonl").write_text('{"ts": 0, "zip": "80331", "n": 2}\n', encoding="utf-8")
    result = tocsin(
        "run", "zip.tocsin", "-e", "zip.jsonl", "--table", "zip.csv", "-f", "jsonl",
        "--delimiter", ";",
    )  # fmt: skip
    assert [line["subscription"] for line in _lines(result.stdout)] == ["at_ann"]


def test_a_row_of_a_table_that_does_not_fit_is_named(tocsin: Callable, project: Path) -> None:
    text = f"{TOWNS}SUBSCRIBE at_{{who}} MATCH [zip = {{zip}} AND n > {{n}}]"
    (project / "zip.tocsin").write_text(text, encoding="utf-8")
    (project / "zip.csv").write_text("who,zip,n\nann,80331,1\nbob,3,many\n", encoding="utf-8")
    result = tocsin("run", "zip.tocsin", "-e", "events.jsonl", "--table", "zip.csv")
    assert result.exit_code == exits.WRONG_USAGE
    assert result.stderr == (
        "error: row 2 of the table zip.csv, {n} = 'many': cannot compare n (a number) with 'many' "
        "(a string) (line 2 of the program)\n"
    )


def test_parquet_has_typed_columns_where_one_subscription_notified(
    tocsin: Callable, project: Path
) -> None:
    text = "SUBSCRIBE dear MATCH a:[amount > 900] EMIT a.amount AS amount"
    (project / "dear.tocsin").write_text(text, encoding="utf-8")
    command = ("run", "dear.tocsin", "-e", "events.jsonl", "-o", "a.parquet")
    tocsin(*command)
    assert pq.read_table(project / "a.parquet").column("emit.amount").to_pylist() == [950.0]
    tocsin(*command, "--no-typed")
    assert "emit" in pq.read_table(project / "a.parquet").column_names


def test_a_terminal_wraps_only_the_last_column() -> None:
    found = {
        "at": "2026-03-02T09:35:00Z",
        "subscription": "a" * 30,
        "events": {"e": list(range(10))},
        "emit": {"first": "x" * 20, "second": None, "third": True},
    }
    lines = table_lines([found], 100)
    left = f"2026-03-02T09:35:00Z  {'a' * 30}  e=0,1,2,3,4,5,6,7,8,9  "
    assert lines[2] == f"{left}first={'x' * 20}"
    assert lines[3] == f"{' ' * len(left)}second=- third=true"
    assert table_lines([found], 60)[2:] == [f"{left}first={'x' * 20} second=- third=true"]
    assert table_lines([found], None)[2:] == table_lines([found], 60)[2:]


def test_nothing_in_an_event_steers_the_terminal(tocsin: Callable, project: Path) -> None:
    row = {"ts": 0, "x": "\x1b[31mred\nline\ttab\x07\u2028\x9b"}
    (project / "evil.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (project / "evil.tocsin").write_text("SUBSCRIBE s MATCH a:[x = $x]", encoding="utf-8")
    command = ("run", "evil.tocsin", "-e", "evil.jsonl")
    shown = tocsin(*command).stdout
    assert shown.splitlines()[2].endswith(r"x=\x1b[31mred\nline\ttab\x07\u2028\x9b")
    tocsin(*command, "-o", "evil.txt")
    assert (project / "evil.txt").read_text(encoding="utf-8") == shown


@pytest.mark.parametrize("name", ["who.csv", "who.jsonl"])
def test_a_table_makes_a_subscription_of_each_row(
    name: str, tocsin: Callable, project: Path
) -> None:
    (project / "who.csv").write_text("who,most\nann,10\nbob,100\n", encoding="utf-8")
    (project / "who.jsonl").write_text(
        '{"who": "ann", "most": 10}\n{"who": "bob", "most": 100}\n', encoding="utf-8"
    )
    (project / "over.tocsin").write_text(
        "SUBSCRIBE over_{who} MATCH [amount > {most} AND status = 'paid']", encoding="utf-8"
    )
    result = tocsin("run", "over.tocsin", "-e", "events.jsonl", "--table", name, "-f", "jsonl")
    assert [line["subscription"] for line in _lines(result.stdout)] == ["over_ann", "over_ann"]


def test_a_bad_row_of_a_table_is_told(tocsin: Callable, project: Path) -> None:
    (project / "who.jsonl").write_text("nonsense\n", encoding="utf-8")
    result = tocsin("run", "rules.tocsin", "-e", "events.jsonl", "--table", "who.jsonl")
    assert result.exit_code == exits.WRONG_USAGE
    assert result.stderr.startswith("error: row 1 of the table who.jsonl cannot be read: ")


def test_cells_of_a_csv_file_are_read_by_their_declared_types(
    tocsin: Callable, project: Path
) -> None:
    (project / "events.csv").write_text(
        "ts,order,status,amount\n2026-03-02T09:00:00Z,007,placed,5\n", encoding="utf-8"
    )
    result = tocsin(
        "run", "rules.tocsin", "-e", "events.csv", "--clock", "2026-03-03T00:00:00Z", "-f", "jsonl"
    )
    (found,) = _lines(result.stdout)
    assert found["emit"] == {"order": "007", "amount": 5.0}


def test_the_format_of_events_can_be_told(tocsin: Callable, project: Path) -> None:
    (project / "events.jsonl").rename(project / "events.data")
    options = ("run", "rules.tocsin", "-e", "events.data", "-f", "jsonl")
    assert len(_lines(tocsin(*options, "--events-format", "jsonl").stdout)) == 2


def test_padres_messages_run(tocsin: Callable) -> None:
    folder = EXAMPLES / "workflow"
    result = tocsin(
        "run", folder / "payroll.padres", "--padres", "-e", folder / "publications.padres",
        "-f", "jsonl",
    )  # fmt: skip
    found = [(line["subscription"], line["position"]) for line in _lines(result.stdout)]
    assert found == [("s1", 0), ("s2", 1), ("s1", 2)]


def test_bad_padres_messages_are_told(tocsin: Callable, project: Path) -> None:
    (project / "bad.padres").write_text("[class,=,a]\n\n[class]\n[x,~,3]\n", encoding="utf-8")
    (project / "good.padres").write_text("# all\n[class,=,a]\n", encoding="utf-8")
    result = tocsin("run", "bad.padres", "--padres", "-e", "good.padres")
    assert result.exit_code == exits.NOT_RIGHT
    places = [line.split(" ")[0] for line in result.stderr.splitlines() if ": error: " in line]
    assert places == ["bad.padres:3:2:", "bad.padres:4:4:"]
    result = tocsin("run", "good.padres", "--padres", "-e", "bad.padres")
    assert "0 events, 0 notifications, 3 dead letters\n  row 0: line 1: " in result.stderr


@pytest.mark.usefixtures("project")
def test_somebody_who_watches_sees_a_bar(tocsin: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def terminal() -> Console:
        environment = {"TERM": "xterm-256color"}
        return Console(file=sys.stderr, force_terminal=True, width=60, _environ=environment)

    monkeypatch.setattr(inputs, "messages", terminal)
    result = tocsin("run", "rules.tocsin", "-e", "events.jsonl")
    assert "matching" in result.stderr
    assert "matching" not in tocsin("run", "rules.tocsin", "-e", "events.jsonl", "-q").stderr


def test_why_tells_what_became_of_events(tocsin: Callable, project: Path) -> None:
    text = "SUBSCRIBE dear MATCH a:[amount > 900] ; b:[amount > 5000]"
    (project / "dear.tocsin").write_text(text, encoding="utf-8")
    result = tocsin("run", "dear.tocsin", "-e", "events.jsonl", "--why", "dear")
    assert result.exit_code == exits.FINE
    assert "subscription dear" in result.stderr
    assert "waits for b" in result.stderr
    assert "amount > 5000 does not hold" in result.stderr.replace("\n", " ")
    short = "SUBSCRIBE dear MATCH a:[amount > 0] , b:[amount < 0]"
    (project / "short.tocsin").write_text(short, encoding="utf-8")
    ended = tocsin("run", "short.tocsin", "-e", "events.jsonl", "--why", "dear").stderr
    assert "ended (not what came next:" in ended.replace("\n", " ")
    unknown = tocsin("run", "dear.tocsin", "-e", "events.jsonl", "--why", "cheap")
    assert unknown.exit_code == exits.WRONG_USAGE
    assert "no subscription is called 'cheap'" in unknown.stderr
    command = ("run", "dear.tocsin", "-e", "events.jsonl", "--why", "dear")
    refused = tocsin(*command, "--engine", "reference")
    assert "--why asks the compiled engine" in refused.stderr
