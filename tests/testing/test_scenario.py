"""Scenario files: what they can say, and how a difference is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tocsin.testing import ScenarioResult, run_scenario

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(ROOT.glob("examples/*/*.scenario.toml"))
RISE = """SUBSCRIBE rise
MATCH a:[price = $p] -> b:[price > a.price]
EMIT a.price AS low, b.price AS high"""


def _run(directory: Path, text: str) -> list[ScenarioResult]:
    path = directory / "case.scenario.toml"
    path.write_text(text, encoding="utf-8")
    return run_scenario(path)


def _case(directory: Path, body: str, *, subscriptions: str = RISE) -> ScenarioResult:
    lines = ["[[case]]", 'name = "one"', body]
    text = "\n".join([f"subscriptions = '''{subscriptions}'''", *lines])
    (result,) = _run(directory, text)
    return result


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_examples_hold(path: Path) -> None:
    assert [str(result) for result in run_scenario(path) if not result.passed] == []


def test_every_example_has_a_scenario() -> None:
    assert len(EXAMPLES) == len([path for path in (ROOT / "examples").iterdir() if path.is_dir()])


def test_only_the_named_fields_are_compared(tmp_path: Path) -> None:
    events = "events = [{ts = 0, price = 1}, {ts = 1000, price = 2}]"
    for expected in (
        "{}",
        '{subscription = "rise"}',
        '"rise"',
        "{at = 1000}",
        '{at = "1 s", begin = "0 s", end = 1970-01-01T00:00:01Z}',
        "{position = 1, events = {b = [1]}}",
        "{events = {a = 0, b = 1}}",
        "{variables = {p = 1}, emit = {high = 2}}",
        '{kind = "match", possibility = 1.0, necessity = 1}',
    ):
        result = _case(tmp_path, f"{events}\nexpect = [{expected}]")
        assert result.passed, f"{expected}: {result}"


def test_times_can_be_told_since_the_start(tmp_path: Path) -> None:
    body = """
start = 2026-01-01T00:00:00Z
events = [{"$at" = "1 min", price = 1}, {"$at" = "2 min", price = 2}]
expect = [{at = 2026-01-01T00:02:00Z, begin = "1 min"}]
"""
    assert _case(tmp_path, body).passed


def test_the_time_goes_into_the_declared_attribute(tmp_path: Path) -> None:
    declared = "STREAM s (moment TIMESTAMP, x INTEGER) TIME moment; SUBSCRIBE one MATCH a:[x = 1]"
    body = 'events = [{"$at" = "5 s", x = 1}]\nexpect = [{at = "5 s"}]\ndead_letters = 0'
    assert _case(tmp_path, body, subscriptions=declared).passed


def test_rows_can_have_names(tmp_path: Path) -> None:
    body = """
events = [
    {"$label" = "low", ts = 0, price = 1},
    {ts = 1, price = 1},
    {"$label" = "high", ts = 2, price = 2},
]
includes = [{events = {a = "low", b = "high"}, position = "high"}]
"""
    assert _case(tmp_path, body).passed


def test_the_clock_and_live_changes_are_rows(tmp_path: Path) -> None:
    body = """
events = [
    {ts = 0, price = 1},
    {"$subscribe" = "SUBSCRIBE late MATCH a:[price = 2] ; !b:[price = 3] FOR 5 s"},
    {"$unsubscribe" = "rise"},
    {ts = 1000, price = 2},
    {"$clock" = "6 s"},
]
expect = [{subscription = "late", at = "6 s", position = {missing = true}}]
dead_letters = 0
"""
    assert _case(tmp_path, body).passed


def test_a_case_may_bring_its_own_subscriptions_options_and_table(tmp_path: Path) -> None:
    body = """
subscriptions = "SUBSCRIBE over_{who} MATCH [price > {limit}]"
table = [{who = "ann", limit = 1}, {who = "bob", limit = 5}]
options = {time = "moment"}
events = [{moment = 0, price = 2}]
expect = ["over_ann"]
"""
    assert _case(tmp_path, body).passed


def test_an_empty_table_and_a_row_that_does_not_fit_are_failures(tmp_path: Path) -> None:
    text = "STREAM s (ts TIMESTAMP, x STRING) TIME ts; SUBSCRIBE over_{who} MATCH [x = {most}]"
    body = f"subscriptions = '{text}'\nevents = []\nexpect = []\ntable = "
    assert "the table has no rows" in str(_case(tmp_path, f"{body}[]"))
    shown = str(_case(tmp_path, f'{body}[{{who = "a", most = 3}}]'))
    assert "it did not run: row 1 of the table, {most} = 3: cannot compare x" in shown


def test_what_is_missing_and_what_is_near_is_told(tmp_path: Path) -> None:
    body = """
events = [{ts = 0, price = 1}, {ts = 1000, price = 2}]
expect = [{subscription = "rise", at = 2000, emit = {low = 1, high = 3}}]
"""
    assert str(_case(tmp_path, body)).splitlines()[1:] == [
        "  expected 1 notification, came 1",
        "  missing     1. rise at=2000 low=1 high=3",
        "              the nearest that came is number 1; it differs in",
        "                at: expected 2000, came 1000",
        "                emit.high: expected 3, came 2",
        "  unexpected  1. rise at=1000 a=0 b=1 low=1 high=2",
    ]


def test_what_nobody_expected_is_told(tmp_path: Path) -> None:
    body = "events = [{ts = 0, price = 1}, {ts = 1000, price = 2}]\nexpect = []"
    assert _case(tmp_path, body).problems == (
        "expected 0 notifications, came 1",
        "unexpected  1. rise at=1000 a=0 b=1 low=1 high=2",
    )


def test_a_wrong_order_is_told_as_such(tmp_path: Path) -> None:
    events = "events = [{ts = 0, price = 1}, {ts = 1, price = 2}, {ts = 2, price = 3}]"
    swapped = "expect = [{position = 2}, {position = 1}]"
    result = _case(tmp_path, f"{events}\n{swapped}")
    assert result.problems == (
        "expected 2 notifications, came 2",
        "missing     1. any subscription position=2\n"
        "            it came, but in another place: as number 2",
    )
    assert _case(tmp_path, f"{events}\n{swapped}\nunordered = true").passed


def test_a_dense_choice_does_not_hide_a_pairing_in_any_order(tmp_path: Path) -> None:
    events = "events = [{ts = 0, price = 1}, {ts = 1, price = 2}, {ts = 2, price = 3}]"
    body = f"{events}\nexpect = [{{}}, {{position = 1}}]\nunordered = true"
    assert _case(tmp_path, body).passed


def test_numbers_of_notifications_and_dead_letters_are_checked(tmp_path: Path) -> None:
    body = "events = [{ts = 5, price = 1}, {ts = 1, price = 2}]\ncount = 1\ndead_letters = 0"
    assert _case(tmp_path, body).problems == (
        "expected 1 notification, came 0",
        "expected 0 dead letters, came 1",
        "rows that became dead letters:",
        "  row 1: late: the event ends at 1, before the clock at 5",
    )
    by_name = "events = [{ts = 5, price = 1}]\ncount = {rise = 2}"
    assert _case(tmp_path, by_name).problems == ("expected 2 notifications of rise, came 0",)


def test_a_dead_letter_fails_a_case_that_does_not_speak_of_it(tmp_path: Path) -> None:
    body = "events = [{ts = 5, price = 1}, {ts = 1, price = 2}]\nexpect = []"
    assert _case(tmp_path, body).problems == (
        "expected 0 dead letters, came 1",
        "rows that became dead letters:",
        "  row 1: late: the event ends at 1, before the clock at 5",
    )
    assert _case(tmp_path, f"{body}\ndead_letters = 1").passed


def test_a_failing_case_lists_the_dead_letters_it_expected(tmp_path: Path) -> None:
    body = "events = [{ts = 5, price = 1}, {ts = 1, price = 2}]\ncount = 1\ndead_letters = 1"
    assert _case(tmp_path, body).problems == (
        "expected 1 notification, came 0",
        "rows that became dead letters:",
        "  row 1: late: the event ends at 1, before the clock at 5",
    )


def test_long_lists_of_differences_are_cut(tmp_path: Path) -> None:
    rows = ", ".join(f"{{ts = {n}, price = {n}}}" for n in range(20))
    result = _case(tmp_path, f"events = [{rows}]\nexpect = []")
    assert result.problems[-1] == "… and 9 more like these"


def test_a_refused_subscription_is_a_failure_with_its_error(tmp_path: Path) -> None:
    result = _case(tmp_path, "events = []\nexpect = []", subscriptions="SUBSCRIBE s MATCH")
    assert not result.passed
    assert result.notifications is None
    assert "it did not run: expected an atom" in str(result)
