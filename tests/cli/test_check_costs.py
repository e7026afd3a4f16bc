"""`tocsin check` warns of costs, and --strict refuses them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tocsin.cli import exits

pytestmark = pytest.mark.usefixtures("project")
COSTLY = "SUBSCRIBE s MATCH a:[status = 'placed'] ; b:[status = 'paid']"


def test_a_cost_is_a_warning_with_its_place(tocsin: Callable) -> None:
    result = tocsin("check", "-", stdin=COSTLY)
    assert result.exit_code == exits.FINE
    assert "<stdin>:1:41: warning: partial matches wait for ever behind this ';'" in result.stderr
    assert "Add WITHIN 1 hour" in result.stderr


def test_a_strict_check_refuses_a_cost(tocsin: Callable) -> None:
    assert tocsin("check", "--strict", "-", stdin=COSTLY).exit_code == exits.NOT_RIGHT
    bounded = f"{COSTLY} WITHIN 1 hour"
    assert tocsin("check", "--strict", "-", stdin=bounded).exit_code == exits.FINE


def test_what_the_checker_has_said_is_not_said_again(tocsin: Callable) -> None:
    text = "SUBSCRIBE s MATCH a:[x = 1]+ BY ; ; b:[x = 2]"
    found = json.loads(tocsin("check", "--format", "json", "-", stdin=text).stdout)
    assert [(one["column"], one["message"][:14]) for one in found] == [
        (28, "this iteration"),
        (35, "partial matche"),
    ]


def test_a_strict_run_refuses_a_cost_before_it_reads_events(tocsin: Callable) -> None:
    result = tocsin("run", "-", "--strict", "-e", "nothing.jsonl", stdin=COSTLY)
    assert result.exit_code == exits.NOT_RIGHT
    assert "<stdin>:1:41: error: partial matches wait for ever behind this ';'" in result.stderr
    assert "nothing.jsonl" not in result.stderr


def test_a_run_that_is_not_strict_bears_the_cost(tocsin: Callable) -> None:
    result = tocsin("run", "-", "-e", "events.jsonl", stdin=COSTLY)
    assert result.exit_code == exits.FINE
    assert "wait for ever" not in result.stderr


def test_a_strict_run_of_what_is_bounded_runs(tocsin: Callable, project: Path) -> None:
    result = tocsin("run", project / "rules.tocsin", "--strict", "-e", "events.jsonl")
    assert result.exit_code == exits.FINE, result.output
    assert "2 notifications" in result.stderr
