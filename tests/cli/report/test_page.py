"""The page of a report."""

from __future__ import annotations

import datetime as dt
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from tocsin.cli.report import Report, to_html

VOID = {"meta", "img", "input", "rect", "path"}


def page(notifications: list[dict[str, Any]], **more: Any) -> str:
    return to_html(
        Report(
            title="a <title>",
            facts={"events": "3"},
            comparisons=more.pop("comparisons", {}),
            program="SUBSCRIBE a MATCH [x < 1]",
            notifications=notifications,
            names=["a", "b"],
            drawing="<svg xmlns='http://www.w3.org/2000/svg'/>",
            partitions="group 1",
        )
    )


def told(name: str, at: int) -> dict[str, Any]:
    return {"subscription": name, "at": at, "emit": {"v": "<1>"}, "variables": {}}


class Balance(HTMLParser):
    """Sees that every element ends."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002 - its form is given
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def test_every_element_ends_and_every_text_is_escaped() -> None:
    shown = page([told("a", 1000), told("b", 2000), told("a", 90_000)])
    parser = Balance()
    parser.feed(shown)
    assert parser.open == []
    assert "a &lt;title&gt;" in shown
    assert "v &lt;1&gt;" in shown
    assert "[x &lt; 1]" in shown


def test_bars_over_time_add_up_to_all_matches() -> None:
    shown = page([told("a", 1000), told("a", 1001), told("b", 2000), told("a", 90_000)])
    chart = re.search(r"<title>matches over time</title>.*?</svg>", shown, re.DOTALL)
    assert chart is not None
    counts = [int(found) for found in re.findall(r"<title>[\d:]+ \w+: (\d+)</title>", chart[0])]
    assert sorted(counts) == [1, 1, 2]


@pytest.mark.parametrize(
    "at", [1000, "1970-01-01T00:00:01+00:00", dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=dt.UTC)]
)
def test_a_moment_has_one_form_whatever_it_came_as(at: Any) -> None:
    one = told("a", at) | {"emit": {"then": '"1970-01-01T00:00:00.500000Z"', "n": "3"}}
    shown = page([one])
    assert "<td>1970-01-01T00:00:01Z</td>" in shown
    assert "<td>then 1970-01-01T00:00:00.500000Z, n 3</td>" in shown
    assert "+00:00" not in shown


def test_a_wide_drawing_is_made_to_fit() -> None:
    shown = page([])
    assert (
        ".drawing img { display: block; margin: 0 auto; max-width: 100%; height: auto; }" in shown
    )
    assert '<div class="drawing"><img ' in shown


def test_a_title_counts_what_the_table_shows() -> None:
    assert "<h2>The notifications</h2>" in page([told("a", 1000)])
    assert "<h2>The first 30 of 31 notifications</h2>" in page([told("a", 1000)] * 31)


def test_a_run_without_a_match_says_so() -> None:
    assert "There was no match." in page([])


def test_answers_that_differ_are_seen() -> None:
    shown = page([], comparisons={"batch": True, "stream": False})
    assert '<td class="same">the same notifications</td>' in shown
    assert '<td class="differs">different notifications</td>' in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [('"A-1"', "v A-1"), ('"big" order', "v &quot;big&quot; order"), ('"', "v &quot;")],
)
def test_a_text_that_begins_with_a_quote_need_not_be_json(value: str, shown: str) -> None:
    assert f"<td>{shown}</td>" in page([told("a", 1000) | {"emit": {"v": value}}])
