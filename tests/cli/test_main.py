"""The command line as a whole: errors, versions, pipes, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tocsin import __version__
from tocsin.cli import exits


def test_the_version_is_shown(tocsin: Callable) -> None:
    assert tocsin("--version").stdout == f"tocsin {__version__}\n"


WRONG = {
    "run nowhere.tocsin -e events.jsonl": "error: there is no file nowhere.tocsin\n",
    "run rules.tocsin -e none.jsonl": "error: there is no file 'none.jsonl'; check the path\n",
    "run rules.tocsin -e events.jsonl --clock noon": "error: --clock: 'noon' is not a time; write "
    "an ISO string or an integer in milliseconds\n",
    "run rules.tocsin -e events.jsonl --format parquet": "error: Parquet needs a file to go to; "
    "say --output alerts.parquet\n",
    "run rules.tocsin -e events.jsonl -o alerts.xls": "error: the name alerts.xls does not tell a "
    "format; say --format jsonl, csv, parquet or table\n",
    "run rules.tocsin -e events.jsonl -o nowhere/a.csv": "error: nowhere/a.csv cannot be written: "
    "its directory is not there\n",
    "run rules.tocsin -e events.jsonl --dead-letters .": "error: . cannot be written: it is a "
    "directory\n",
    "run rules.tocsin -e events.jsonl --table events.jsonl": None,
    "run rules.tocsin -e events.jsonl --simultaneous no": None,
    "run rules.tocsin": None,
    "run . -e events.jsonl": "error: . is a directory; name the files in it, as in ./*.tocsin\n",
    "run rules.tocsin -e events.jsonl --stream oders": "error: --stream oders: no subscription "
    "reads a stream of this name. Did you mean 'orders'?\n",
    "run over.tocsin -e events.jsonl": "error: subscription 'over_{who}' has parameters ({most}); "
    "say --table FILE to fill them\n",
    "run over.tocsin -e events.jsonl --table none.csv": "error: the table none.csv has no rows, so "
    "there is nothing to run; give it one for each subscription\n",
    "run rules.tocsin -e semi.csv": "error: the header of 'semi.csv' cannot be used: it has one "
    "column, 'ts;order'; if ';' separates, say --delimiter ';'\n",
    "run rules.tocsin -e unknown.data": "error: cannot tell the format of 'unknown.data'; say "
    "--events-format and one of jsonl, csv, parquet, arrow\n",
    "run rules.tocsin -e events.jsonl --delimiter ;": "error: --delimiter is for CSV, and no file "
    "is CSV; if one is, say --events-format csv\n",
    "run rules.tocsin -e events.jsonl -o a.parquet --typed": "error: --typed needs notifications "
    "of one subscription, but here are 2, such as 'returned' and 'unpaid'; keep those of one\n",
    "check nowhere.tocsin": "error: there is no file nowhere.tocsin\n",
    "check": None,
    "fmt nowhere.tocsin": "error: there is no file nowhere.tocsin\n",
    "explain rules.tocsin -s unpayd": "error: there is no subscription 'unpayd'. Did you mean "
    "'unpaid'?\n",
    "explain empty.tocsin": "error: the program holds no subscription; write SUBSCRIBE name "
    "MATCH […];\n",
    "test nowhere": "error: there is no file or directory nowhere\n",
    "test empty": "error: there is no scenario in empty; their names end in .scenario.toml\n",
    "new .": "error: . is not empty; choose a new directory, so that nothing is overwritten\n",
    "new rules.tocsin": "error: rules.tocsin is a file; choose a name that is not taken\n",
    "nonsense": None,
}


@pytest.mark.parametrize("command", WRONG)
def test_wrong_usage_ends_with_two_and_a_sentence(
    command: str, tocsin: Callable, project: Path
) -> None:
    (project / "empty.tocsin").write_text("-- nothing", encoding="utf-8")
    (project / "empty").mkdir()
    (project / "none.csv").write_text("who,most\n", encoding="utf-8")
    (project / "semi.csv").write_text("ts;order\n1;2\n", encoding="utf-8")
    (project / "unknown.data").write_text("ts order\n", encoding="utf-8")
    over = "SUBSCRIBE over_{who} MATCH [amount > {most}]"
    (project / "over.tocsin").write_text(over, encoding="utf-8")
    result = tocsin(*command.split())
    assert result.exit_code == exits.WRONG_USAGE, result.output
    assert "Traceback" not in result.output
    assert result.stdout == ""
    if WRONG[command] is not None:
        assert result.stderr == WRONG[command]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--limit -3", "it must be at least 0"),
        ("--limit many", "it is no number"),
        ("--simultaneous no", "'no' is not one of 'ordered'"),
    ],
)
def test_a_wrong_value_is_told_without_the_words_of_a_library(
    options: str, words: str, tocsin: Callable
) -> None:
    shown = " ".join(tocsin("run", "x", "-e", "y", *options.split()).stderr.split())
    assert words in shown
    assert "Value error" not in shown
    assert "Input should" not in shown


def test_a_refused_program_ends_with_one_and_its_place(tocsin: Callable, project: Path) -> None:
    (project / "wrong.tocsin").write_text("SUBSCRIBE s MATCH a:[x = ]", encoding="utf-8")
    for command in ("check", "explain", "fmt"):
        result = tocsin(command, "wrong.tocsin")
        assert result.exit_code == exits.NOT_RIGHT
        assert result.stderr.startswith("wrong.tocsin:1:26: error: expected a value, found ']'\n")
    result = tocsin("run", "wrong.tocsin", "-e", "events.jsonl")
    assert result.exit_code == exits.NOT_RIGHT
    assert result.stderr.startswith("wrong.tocsin:1:26: error: expected a value, found ']'\n")


def test_a_clause_without_an_engine_is_told_in_a_sentence(tocsin: Callable, project: Path) -> None:
    text = "SUBSCRIBE s MATCH a:[x = 1] PREDICT WITHIN 5 EVENTS ABOVE 0.5"
    (project / "later.tocsin").write_text(text, encoding="utf-8")
    result = tocsin("run", "later.tocsin", "-e", "events.jsonl")
    assert result.exit_code == exits.WRONG_USAGE
    assert result.stderr.startswith("error: ")
    assert "PREDICT" in result.stderr


def test_a_reader_that_goes_away_is_no_error(project: Path) -> None:
    rows = "".join(f'{{"ts": {n}, "x": 1}}\n' for n in range(3_000))
    (project / "many.jsonl").write_text(rows, encoding="utf-8")
    (project / "all.tocsin").write_text("SUBSCRIBE s MATCH [x = 1]", encoding="utf-8")
    for form in ("jsonl", "table"):
        command = [
            sys.executable, "-m", "tocsin.cli.main", "run", "all.tocsin", "-e", "many.jsonl",
            "--format", form, "--limit", "0", "-q",
        ]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""


def test_a_shell_can_complete_commands() -> None:
    environment = os.environ | {
        "_TOCSIN_COMPLETE": "complete_bash", "COMP_WORDS": "tocsin ch", "COMP_CWORD": "1",
    }  # fmt: skip
    program = Path(sys.executable).with_name("tocsin")
    if not program.exists():
        pytest.skip("the command is not installed beside this Python")
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["check"]
