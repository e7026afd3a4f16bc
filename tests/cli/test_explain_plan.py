"""`tocsin explain` shows the plan behind the words, and draws it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from tocsin.cli import exits

pytestmark = pytest.mark.usefixtures("project")
RULES = "SUBSCRIBE a MATCH x:[k = 1] , y:[k = 2]; SUBSCRIBE b MATCH z:[k = 1]"


def test_without_options_there_are_only_words(tocsin: Callable) -> None:
    shown = tocsin("explain", "rules.tocsin").stdout
    assert "Meaning" in shown
    assert "Plan:" not in shown


def test_the_plan_stands_behind_the_words(tocsin: Callable) -> None:
    shown = tocsin("explain", "--plan", "rules.tocsin").stdout
    assert shown.count("Plan: 2 subscriptions") == 1
    assert shown.rindex("Meaning") < shown.index("Plan: ")


def test_the_plan_holds_only_what_was_asked_for(tocsin: Callable) -> None:
    shown = tocsin("explain", "--plan", "--name", "unpaid", "rules.tocsin").stdout
    assert "Plan: 1 subscription," in shown
    assert "completes unpaid" in shown
    assert "returned" not in shown


def test_drawings_are_written(tocsin: Callable, project: Path) -> None:
    result = tocsin("explain", "rules.tocsin", "--dot", "plan.dot", "--svg", "plan.svg")
    assert result.exit_code == exits.FINE, result.output
    assert "Plan:" not in result.stdout
    assert (project / "plan.dot").read_text(encoding="utf-8").startswith("digraph plan {")
    assert ET.parse(project / "plan.svg").getroot().tag.endswith("svg")


def test_what_subscriptions_share_is_shown(tocsin: Callable) -> None:
    shown = tocsin("explain", "-", "--plan", stdin=RULES).stdout
    assert "S2 after x, shared by a, b, completes b" in shown


def test_a_plan_of_each_program_stands_behind_its_words(tocsin: Callable, project: Path) -> None:
    (project / "other.tocsin").write_text(RULES, encoding="utf-8")
    shown = tocsin("explain", "--plan", "rules.tocsin", "other.tocsin").stdout
    assert shown.count("Plan: ") == 2
    assert shown.index("Plan: ") < shown.index("other.tocsin")


@pytest.mark.parametrize("option", ["--dot", "--svg"])
def test_a_drawing_shows_one_program(option: str, tocsin: Callable) -> None:
    result = tocsin("explain", "rules.tocsin", "rules.tocsin", option, "plan")
    assert result.exit_code == exits.WRONG_USAGE
    assert f"{option} draws one program, and 2 were given; name one file" in result.stderr


def test_a_drawing_that_cannot_be_written_is_said_in_words(tocsin: Callable) -> None:
    result = tocsin("explain", "rules.tocsin", "--svg", "nowhere/plan.svg")
    assert result.exit_code == exits.WRONG_USAGE
    assert "nowhere/plan.svg cannot be written" in result.stderr


def test_a_template_is_planned_unless_its_duration_is_a_parameter(tocsin: Callable) -> None:
    text = "SUBSCRIBE s_{n} MATCH a:[x = {n} AND y > {n}]"
    assert (
        "found by hash on x, then range on y" in tocsin("explain", "-", "--plan", stdin=text).stdout
    )
    result = tocsin("explain", "-", "--plan", stdin=f"{text} ; !b:[x = 1] FOR {{t}}")
    assert result.exit_code == exits.WRONG_USAGE
    assert "the parameter {t} has no value" in result.stderr


def test_the_plan_tells_how_many_bytes(tocsin: Callable, project: Path) -> None:
    text = f"{RULES}; SUBSCRIBE c MATCH x:[k = 1] & y:[k = 2]"
    result = tocsin("explain", "-", "--plan", "--dot", "p.dot", "--svg", "p.svg", stdin=text)
    shares = re.findall(r"memory: ([\d,]+) bytes, its share of M1", result.stdout)
    assert len(shares) == 2
    assert shares[0] == shares[1]
    parts = re.findall(r"([\d,]+ bytes: index [\d,]+, plan [\d,]+, state [\d,]+)", result.stdout)
    assert len(parts) == 2
    for drawing in ("p.dot", "p.svg"):
        drawn = (project / drawing).read_text(encoding="utf-8")
        assert all(part in drawn for part in parts)
