"""Every form of a pattern and every clause gets the right sentence."""

from __future__ import annotations

import pytest

from tocsin.language.checker import check
from tocsin.language.explain import Explanation, explain, normal_form
from tocsin.language.explain.phrases import repetitions
from tocsin.language.parser import parse, parse_pattern
from tocsin.language.printer import to_text


def _explained(text: str) -> Explanation:
    program = parse(text)
    check(program)
    return explain(program)[-1]


def _sentences(pattern: str) -> list[str]:
    """The steps of a pattern, parts two spaces further right."""
    lines: list[str] = []

    def add(steps: tuple, depth: int) -> None:
        for step in steps:
            lines.append("  " * depth + step.text)
            add(step.parts, depth + 1)

    add(_explained(f"SUBSCRIBE s MATCH {pattern}").steps, 0)
    return lines


STEPS = {
    "[x = 1]": ["_1: an event with x = 1"],
    "a:[TRUE]": ["a: any event"],
    "a:asks[x = 1]": ["a: an event of asks with x = 1"],
    "a:asks": ["a: any event of asks"],
    "a:[x = 1] , b:[x = 2]": [
        "a: an event with x = 1",
        "b: the very next event, if it is one with x = 2",
    ],
    "a:[x = 1] , b:[TRUE]": ["a: an event with x = 1", "b: the very next event, whatever it is"],
    "a:[x = 1] -> b:[x = 2]": ["a: an event with x = 1", "b: the first later event with x = 2"],
    "a:[x = 1] ->{y = 3} b:[x = 2]": [
        "a: an event with x = 1",
        "b: the first later event with y = 3, if it is one with x = 2",
    ],
    "a:[x = 1] ->{y = 3} b:[TRUE]": [
        "a: an event with x = 1",
        "b: the first later event with y = 3, whatever it is",
    ],
    "a:[x = 1] ; b:[x = 2]": ["a: an event with x = 1", "b: any later event with x = 2"],
    "a:[x = $v] ; b:[x = $v AND y = $w]": [
        "a: an event with x = $v ($v becomes its x)",
        "b: any later event with x = $v AND y = $w ($w becomes its y)",
    ],
    "a:[x = 1] ; b:[x = 2] , c:[x = 3]": [
        "a: an event with x = 1",
        "b: any later event with x = 2",
        "c: the very next event, if it is one with x = 3",
    ],
    "a:[x = 1] @ (a.x > 0)": ["a: an event with x = 1; only if a.x > 0"],
    "(a:[x = 1] ; b:[x = 2] WITHIN 5 min)": [
        "one after the other; at most 5 min from the begin of its first to the end of its last "
        "event:",
        "  a: an event with x = 1",
        "  b: any later event with x = 2",
    ],
    "(a:[x = 1] ; b:[x = 2] WITHIN 5 EVENTS)": [
        "one after the other; its first and last event lie in a stretch of 5 events of the stream:",
        "  a: an event with x = 1",
        "  b: any later event with x = 2",
    ],
    "a:[x = 1]{3}": [
        "exactly 3 times, each beginning with the first event after the one before that can open "
        "it:",
        "  a: an event with x = 1",
    ],
    "a:[x = 1]{2,5} BY ,": [
        "2 to 5 times, each beginning with the very next event after the one before:",
        "  a: an event with x = 1",
        "  each possible number of repetitions is a match of its own",
    ],
    "a:[x = 1] ; b:[x = 2]* BY ; UNTIL (x = 9) ; c:[x = 3]": [
        "a: an event with x = 1",
        "beginning with any later event: any number of times, also none, each beginning with any "
        "event after the one before:",
        "  b: an event with x = 2",
        "  an event with x = 9 is never taken and ends the repetitions",
        "  without it, the steps before and after it follow one another",
        "  each possible number of repetitions is a match of its own",
        "c: any later event with x = 3",
    ],
    "a:[x = 1] , b:[x = 2]? , c:[x = 3]": [
        "a: an event with x = 1",
        "beginning with the very next event: once or not at all:",
        "  b: an event with x = 2",
        "  without it, the steps before and after it follow one another",
        "c: the very next event, if it is one with x = 3",
    ],
    "a:[x = 1]{2} BY ->{y = 1}": [
        "exactly 2 times, each beginning with the first event after the one before with y = 1:",
        "  a: an event with x = 1",
    ],
    "a:[x = 1] & b:[x = 2]": [
        "both of these, in any order, sharing no event:",
        "  a: an event with x = 1",
        "  b: an event with x = 2",
    ],
    "a:[x = $v] & b:[x = $v] & c:[x = 2]": [
        "all of these, in any order, sharing no event, with the same $v:",
        "  a: an event with x = $v ($v becomes its x)",
        "  b: an event with x = $v ($v becomes its x)",
        "  c: an event with x = 2",
    ],
    "a:[x = 1] | b:[x = 2]": [
        "either of these, each a match of its own:",
        "  a: an event with x = 1",
        "  b: an event with x = 2",
    ],
    "z:[x = 0] ; (a:[x = 1] | b:[x = 2] | c:[x = 3])": [
        "z: an event with x = 0",
        "any one of these, each a match of its own:",
        "  a: any later event with x = 1",
        "  b: any later event with x = 2",
        "  c: any later event with x = 3",
    ],
    "z:[x = 0] -> (a:[x = 1] | b:[x = 2])": [
        "z: an event with x = 0",
        "beginning with the first later event that can open it: either of these, each a match of "
        "its own:",
        "  a: an event with x = 1",
        "  b: an event with x = 2",
    ],
    "a:[x = 1] ; !b:[x = 2] ; c:[x = 3]": [
        "a: an event with x = 1",
        "no event with x = 2 lies between the step before and the next one",
        "c: any later event with x = 3",
    ],
    "a:[x = 1] -> !(b:[x = 2] ; c:[x = 3]) -> d:[x = 4]": [
        "a: an event with x = 1",
        "no match of the following lies between the step before and the next one:",
        "  b: an event with x = 2",
        "  c: any later event with x = 3",
        "d: the first later event with x = 4",
    ],
    "a:[x = 1] , !b:[x = 2] -> c:[x = 3]": [
        "a: an event with x = 1",
        "the very next event is no event with x = 2",
        "c: the first later event with x = 3",
    ],
    "!a:[x = 1] ; b:[x = 2]": [
        "no event with x = 1 lies between the start and the next step",
        "b: an event with x = 2",
    ],
    "!a:[x = 1] FOR 5 min ; b:[x = 2]": [
        "the stream was watched for at least 5 min before the next step, and no event with x = 1 "
        "lies in the 5 min before it",
        "b: an event with x = 2",
    ],
    "a:[x = 1] ; !b:[x = 2] FOR 5 min": [
        "a: an event with x = 1",
        "no event with x = 2 follows for 5 min after the steps so far (one at exactly 5 min still "
        "counts); the match completes at that time by the clock, even if no event comes",
    ],
    "a:[x = 1] ; !b:[x = 2] FOR 5 min ; c:[x = 3]": [
        "a: an event with x = 1",
        "no event with x = 2 follows for 5 min after the steps so far (one at exactly 5 min still "
        "counts); the next step begins after that time",
        "c: any later event with x = 3",
    ],
    "!a:[x = 1] FOR 5 min": [
        "silence: no event with x = 1 for 5 min, counted from the start and again from each one "
        "on; told once each time",
    ],
    "!a:[x = 1 AND y = $v] FOR 5 min EVERY 1 min": [
        "silence: no event with x = 1 AND y = $v for 5 min, counted from the start and again from "
        "each one on; told once each time and again after each further 1 min of silence, for each "
        "value of $v apart",
    ],
    "nth(3, a:[x = 1 AND y = $v])": [
        "the 3rd completed match of this, counted from the start, for each value of $v:",
        "  a: an event with x = 1 AND y = $v ($v becomes its y)",
    ],
    "z:[x = 0] ; nth(2, a:[x = 1])": [
        "z: an event with x = 0",
        "the 2nd completed match of this, counted from the step before:",
        "  a: an event with x = 1",
    ],
    "repeat(a:[x = 1], 3, n, 2)": [
        "exactly 3 times, each beginning with any event after the one before, with n growing by 2 "
        "from one to the next:",
        "  a: an event with x = 1",
    ],
    "repeat(a:[x = 1], 3, at, 5 min) BY &": [
        "exactly 3 times, in any order of arrival, with at growing by 5 min from one to the next:",
        "  a: an event with x = 1",
    ],
}


@pytest.mark.parametrize("pattern", STEPS)
def test_a_pattern_is_told_step_by_step(pattern: str) -> None:
    assert _sentences(pattern) == STEPS[pattern]


CLAUSES = {
    "WHERE a.x > 1": ("Only if", "a.x > 1"),
    "WITHIN 5 min": (
        "Window",
        "at most 5 min from the begin of its first to the end of its last event",
    ),
    "WITHIN 9 EVENTS": (
        "Window",
        "its first and last event lie in a stretch of 9 events of the stream",
    ),
    "DUPLICATES FIRST": (
        "Duplicates",
        "of the matches that complete at the same point with the same variables, the one with the "
        "earliest events counts",
    ),
    "DUPLICATES LAST": (
        "Duplicates",
        "of the matches that complete at the same point with the same variables, the one with the "
        "latest events counts",
    ),
    "PAIRS UNIQUE": (
        "Pairs",
        "an event takes part in at most one notification; the first one keeps it",
    ),
    "PAIRS SEPARATE": (
        "Pairs",
        "a match counts only if all its events come after the completion of the one notified "
        "before",
    ),
    "LIMIT 3": ("Limit", "only the first 3 matches that the policies keep are notified"),
    "LIMIT 3 PER $v": (
        "Limit",
        "only the first 3 matches that the policies keep are notified for each value of $v",
    ),
    "EMIT $v AS v, a.x": ("Emits", "v = $v and a.x"),
    "EMIT a.x AS x INTO other": (
        "Derives",
        "each notification is also an event of the stream other",
    ),
    "ACCEPT POSSIBLY 0.5 NECESSARILY 0.1": (
        "Accepts",
        "matches that are possible to at least 0.5 and necessary to at least 0.1",
    ),
    "COMBINE WITH min": ("Degrees", "combined with the min"),
    "COMBINE WITH weighted(0.3, 0.7)": (
        "Degrees",
        "combined with an average weighted by 0.3 and 0.7",
    ),
    "PREDICT WITHIN 20 EVENTS ABOVE 0.8": (
        "Forecasts",
        "told when the probability of a match within the next 20 events rises above 0.8",
    ),
    "PREDICT WITHIN 10 min ABOVE 0.8": (
        "Forecasts",
        "told when the probability of a match within 10 min rises above 0.8",
    ),
    "SINCE BEGINNING": (
        "Since",
        "events from the beginning of history on count; the matches of history are told first",
    ),
    "SINCE TIMESTAMP '2026-01-31T12:00:00Z' ONLY NEW": (
        "Since",
        "events from 2026-01-31T12:00:00Z on count, but a match needs at least one that came after "
        "the subscription",
    ),
}


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_clause_is_told(clause: str) -> None:
    title, sentence = CLAUSES[clause]
    told = dict(_explained(f"SUBSCRIBE s MATCH a:[x = $v] {clause}").clauses)
    assert told[title] == sentence


def test_the_defaults_are_told_too() -> None:
    assert dict(_explained("SUBSCRIBE s MATCH a:[x = 1]").clauses) == {
        "Duplicates": "every match counts, also several that complete at the same point",
        "Pairs": "an event may take part in any number of matches",
        "Since": "only events that come after the subscription was made count",
    }


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("SUBSCRIBE s MATCH [x = 1]", "the stream default"),
        ("STREAM one (x INTEGER); SUBSCRIBE s MATCH [x = 1]", "the stream one"),
        ("SUBSCRIBE s FROM a, b MATCH [x = 1]", "the streams a and b, merged in order of arrival"),
    ],
)
def test_what_is_read_is_told(text: str, reads: str) -> None:
    assert _explained(text).reads == reads


NORMAL = {
    "(a:[x = 1] ; b:[x = 2]) ; c:[x = 3]": "a:[x = 1] ; b:[x = 2] ; c:[x = 3]",
    "a:[x = 1] ; (b:[x = 2] ; c:[x = 3])": "a:[x = 1] ; b:[x = 2] ; c:[x = 3]",
    "(a:[x = 1] ; b:[x = 2]) , c:[x = 3]": "(a:[x = 1] ; b:[x = 2]) , c:[x = 3]",
    "a:[x = 1] ; (b:[x = 2]? ; c:[x = 3])": "a:[x = 1] ; (b:[x = 2]? ; c:[x = 3])",
    "a:[x = 1] ; (!b:[x = 2] ; c:[x = 3])": "a:[x = 1] ; (!b:[x = 2] ; c:[x = 3])",
    "a:[x = 1] ; (nth(2, b:[x = 2]) ; c:[x = 3])": "a:[x = 1] ; (nth(2, b:[x = 2]) ; c:[x = 3])",
    "(a:[x = 1] & b:[x = 2]) & c:[x = 3]": "a:[x = 1] & b:[x = 2] & c:[x = 3]",
    "a:[x = 1] | (b:[x = 2] | c:[x = 3])": "a:[x = 1] | b:[x = 2] | c:[x = 3]",
    "a:one ; b:[one AND y = 2]": "a:[x = 1] ; b:[x = 1 AND y = 2]",
    "one": "one:[x = 1]",
    "one ; one": "one ; one",
    "a:[both] ; b:[both AND z = 3]": ("a:[x = 1 AND y = 2] ; b:[x = 1 AND y = 2 AND z = 3]"),
}


@pytest.mark.parametrize("pattern", NORMAL)
def test_the_normal_form_is_flat_and_without_definitions(pattern: str) -> None:
    definitions = "DEFINE one AS x = 1; DEFINE both AS one AND y = 2;"
    program = parse(f"{definitions} SUBSCRIBE s MATCH {pattern}")
    found = normal_form(program.subscriptions[0], program).pattern
    assert to_text(found) == NORMAL[pattern]
    assert parse_pattern(to_text(found)) == found


def test_the_normal_form_spells_out_policies_and_stands_on_its_own() -> None:
    text = "DEFINE one AS x = 1; SUBSCRIBE s MATCH one ; one WITHIN 5 min EMIT duration() AS n"
    shown = _explained(text).normal_form
    assert shown == (
        "DEFINE one AS x = 1;\n"
        "SUBSCRIBE s FROM default\n"
        "MATCH   one ; one\n"
        "WITHIN  5 min\n"
        "DUPLICATES ALL\n"
        "PAIRS   ALL\n"
        "EMIT    duration() AS n;"
    )
    check(parse(shown))


def test_lines_are_no_wider_than_asked() -> None:
    text = "SUBSCRIBE s MATCH " + " ; ".join(
        f"a{n}:[x = {n} AND y = 'some text']" for n in range(9)
    )
    lines = _explained(text).to_text(width=60).splitlines()
    meaning = lines[lines.index("Meaning") :]
    assert max(map(len, meaning)) <= 60


@pytest.mark.parametrize(
    ("low", "high", "words"), [(1, 1, "exactly once"), (0, 3, "up to 3 times, or none")]
)
def test_counts_are_told(low: int, high: int, words: str) -> None:
    assert repetitions(low, high) == words
