"""check, fmt, explain, test, new, demo and bench."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tocsin.cli import exits
from tocsin.testing import run_scenario

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*/*.tocsin"))


def test_warnings_fail_only_a_strict_check(tocsin: Callable, project: Path) -> None:
    (project / "costly.tocsin").write_text("SUBSCRIBE s MATCH a:[x = 1]+ BY ;", encoding="utf-8")
    result = tocsin("check", "costly.tocsin")
    assert result.exit_code == exits.FINE
    assert "costly.tocsin:1:" in result.stderr
    assert result.stdout == "costly.tocsin: 1 subscription, 1 warning\n"
    assert "1 file checked: 0 errors, 1 warning" in result.stderr
    assert tocsin("check", "--strict", "costly.tocsin").exit_code == exits.NOT_RIGHT


def test_check_reads_standard_input(tocsin: Callable) -> None:
    result = tocsin("check", "-", stdin="SUBSCRIBE s MATCH [x = 1]")
    assert result.stdout == "<stdin>: 1 subscription, fine\n"


@pytest.mark.usefixtures("project")
def test_a_program_without_problems_is_an_empty_list(tocsin: Callable) -> None:
    assert json.loads(tocsin("check", "--format", "json", "rules.tocsin").stdout) == []


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_examples_are_right_and_in_their_standard_form(path: Path, tocsin: Callable) -> None:
    assert tocsin("check", "--strict", path).exit_code == exits.FINE
    assert tocsin("fmt", "--check", path).exit_code == exits.FINE
    assert tocsin("explain", path).exit_code == exits.FINE


def test_fmt_writes_in_place_and_then_changes_nothing(tocsin: Callable, project: Path) -> None:
    path = project / "ugly.tocsin"
    path.write_text("subscribe x match a:[x=1]\r\n", encoding="utf-8", newline="")
    assert tocsin("fmt", "--check", path).exit_code == exits.NOT_RIGHT
    assert tocsin("fmt", "--diff", path).exit_code == exits.FINE
    result = tocsin("fmt", path, "rules.tocsin")
    assert result.exit_code == exits.FINE
    assert result.stderr == "1 file changed, 1 as it is\n"
    assert path.read_bytes() == b"SUBSCRIBE x\nMATCH   a:[x = 1];\n"
    assert tocsin("fmt", path).stderr == ""


def test_fmt_passes_standard_input_on(tocsin: Callable) -> None:
    result = tocsin("fmt", "-", stdin="subscribe x match a:[x=1] -- why")
    assert result.stdout == "SUBSCRIBE x\nMATCH   a:[x = 1]; -- why\n"


@pytest.mark.usefixtures("project")
def test_explain_draws_a_tree_for_a_terminal(
    tocsin: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = tocsin("explain", "rules.tocsin").stdout
    assert "├── " in shown
    assert "Normal form" in shown
    plain = tocsin("explain", "rules.tocsin", "--plain").stdout
    assert "├── " not in plain
    assert "    1. placed: an event" in plain


def test_explain_takes_several_files(tocsin: Callable, project: Path) -> None:
    (project / "hot.tocsin").write_text("SUBSCRIBE hot MATCH [t > 30]", encoding="utf-8")
    shown = tocsin("explain", "rules.tocsin", "hot.tocsin").stdout
    assert shown.startswith("rules.tocsin\n\nunpaid\n")
    assert "\nhot.tocsin\n\nhot\n" in shown
    only = tocsin("explain", "rules.tocsin", "hot.tocsin", "-s", "hot").stdout
    assert only.lstrip().startswith("hot.tocsin\n\nhot\n")


def test_padres_subscriptions_are_checked_and_explained(tocsin: Callable, project: Path) -> None:
    (project / "good.padres").write_text("[class,=,a],[x,>,3]\n", encoding="utf-8")
    (project / "bad.padres").write_text("[class]\n", encoding="utf-8")
    result = tocsin("check", "--padres", "good.padres")
    assert result.stdout == "good.padres: 1 subscription, fine\n"
    assert "class = 'a' AND x > 3" in tocsin("explain", "--padres", "good.padres").stdout
    result = tocsin("check", "--padres", "bad.padres")
    assert result.exit_code == exits.NOT_RIGHT
    assert result.stderr.startswith("bad.padres:1:")


def test_scenarios_are_found_in_directories(tocsin: Callable) -> None:
    result = tocsin("test", EXAMPLES / "feeds", EXAMPLES / "sensors", "--quiet")
    assert result.exit_code == exits.FINE
    assert result.stdout == ""
    assert result.stderr == "6 cases passed, 0 failed in 2 files\n"


def test_what_is_installed_below_a_directory_is_not_searched(
    tocsin: Callable, project: Path
) -> None:
    for folder in (".venv/lib/site-packages", "node_modules", "own"):
        (project / folder).mkdir(parents=True)
        text = (project / "rules.scenario.toml").read_text(encoding="utf-8")
        (project / folder / "copy.scenario.toml").write_text(
            text.replace('"rules.tocsin"', f'"{project}/rules.tocsin"').replace(
                '"events.jsonl"', f'"{project}/events.jsonl"'
            ),
            encoding="utf-8",
        )
    assert tocsin("test", "-q").stderr == "4 cases passed, 0 failed in 2 files\n"


def test_a_scenario_that_cannot_be_read_ends_with_two(tocsin: Callable, project: Path) -> None:
    (project / "bad.scenario.toml").write_text("cases = []", encoding="utf-8")
    result = tocsin("test")
    assert result.exit_code == exits.WRONG_USAGE
    assert "error: bad.scenario.toml: key 'cases'" in result.stderr
    assert "2 cases passed, 0 failed in 2 files; 1 cannot be read" in result.stderr


def test_a_new_project_works(
    tocsin: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    directory = tmp_path / "alarms"
    assert tocsin("new", directory).exit_code == exits.FINE
    assert sorted(path.name for path in directory.iterdir()) == [
        "README.md", "events.jsonl", "rules.scenario.toml", "rules.tocsin", "watch.py",
    ]  # fmt: skip
    assert (directory / "README.md").read_text(encoding="utf-8").startswith("# alarms\n")
    monkeypatch.chdir(directory)
    commands = (
        "check --strict rules.tocsin",
        "fmt --check rules.tocsin",
        "test",
        "run rules.tocsin -e events.jsonl --strict",
        "explain rules.tocsin",
    )
    for command in commands:
        result = tocsin(*command.split())
        assert result.exit_code == exits.FINE, result.output
    assert all(result.passed for result in run_scenario("rules.scenario.toml"))
    capsys.readouterr()
    runpy.run_path("watch.py")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2026-03-02T09:35:00Z unpaid order=A-2 amount=950.0"


def test_a_new_project_goes_into_an_empty_directory(tocsin: Callable, tmp_path: Path) -> None:
    assert tocsin("new", tmp_path).exit_code == exits.FINE


def test_the_demo_ships_the_files_of_the_example() -> None:
    data = ROOT / "src" / "tocsin" / "cli" / "demo_data"
    for path in data.iterdir():
        assert path.read_bytes() == (EXAMPLES / "intrusion" / path.name).read_bytes()


def test_the_demo_names_a_command_that_can_be_called(
    tocsin: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / ".venv" / "bin" / "tocsin")])
    assert "  .venv/bin/tocsin new my-project " in tocsin("demo").stdout


@pytest.mark.parametrize("folder", ["intrusion", "stocks"])
def test_generated_events_are_made_again_by_their_script(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / folder / "generate.py"), run_name="__main__")
    (made,) = tmp_path.iterdir()
    assert made.read_bytes() == (EXAMPLES / folder / made.name).read_bytes()


def test_figures_are_written_as_json(tocsin: Callable, tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    result = tocsin(
        "bench", "language", "--size", "3", "--size", "5", "--runs", "2", "--json", path
    )
    assert result.exit_code == exits.FINE, result.output
    figures = json.loads(path.read_text(encoding="utf-8"))
    assert sorted(figures) == ["figures", "machine", "ratios"]
    assert [figure["size"] for figure in figures["ratios"]] == [3, 5]
    assert {"tocsin", "python", "processor"} <= set(figures["machine"])
    assert "parse and check" in result.stdout
