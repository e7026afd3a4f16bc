"""Scenario files are pytest tests."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

SCENARIO = """
subscriptions = "SUBSCRIBE rise MATCH a:[price = $p] -> b:[price > a.price]"

[[case]]
name = "a rise"
events = [{ts = 0, price = 1}, {ts = 1000, price = 2}]
expect = ["rise"]

[[case]]
name = "no rise"
events = [{ts = 0, price = 1}, {ts = 1000, price = 2}]
expect = []
"""


def _run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    plugins = pytester.runpytest("--trace-config").stdout.str()
    loaded = (
        () if "tocsin.testing.pytest_plugin" in plugins else ("-p", "tocsin.testing.pytest_plugin")
    )
    return pytester.runpytest(*loaded, *arguments)


def test_each_case_is_a_test_with_its_difference(pytester: pytest.Pytester) -> None:
    (pytester.path / "rise.scenario.toml").write_text(SCENARIO, encoding="utf-8")
    result = _run(pytester, "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "rise.scenario.toml::a rise PASSED*",
            "rise.scenario.toml::no rise FAILED*",
            "*rise.scenario.toml: no rise: failed",
            "  expected 0 notifications, came 1",
            "  unexpected  1. rise at=1000 a=0 b=1 p=1",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_dead_letter_fails_a_test_with_its_reason(pytester: pytest.Pytester) -> None:
    late = (
        SCENARIO.partition("[[case]]")[0]
        + """
[[case]]
name = "late"
events = [{ts = 5, price = 1}, {ts = 1, price = 2}]
expect = []
"""
    )
    (pytester.path / "late.scenario.toml").write_text(late, encoding="utf-8")
    result = _run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["  expected 0 dead letters, came 1", "  rows that became*", "    row 1: late: *"]
    )


def test_a_file_that_cannot_be_read_is_an_error_of_collection(pytester: pytest.Pytester) -> None:
    (pytester.path / "bad.scenario.toml").write_text("cases = []", encoding="utf-8")
    result = _run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*bad.scenario.toml: key 'cases'*", "Did you mean 'case'?"])


def test_other_toml_files_are_left_alone(pytester: pytest.Pytester) -> None:
    (pytester.path / "settings.toml").write_text("cases = []", encoding="utf-8")
    _run(pytester).assert_outcomes()
