"""The notation of the operator tables, and the tests that hold it to what it says.

A line says `PATTERN over STREAM gives MATCHES` (a long one goes on in a line that begins with
`over` or `gives`):

    a ; b over a c b gives a0 b2

The stream `a b5 c/x d@9 *@12 e@13..15` has these rows:

- `a`: an event with k = 'a'; events are one second apart, the first at 0 s,
- `b5`: v = 5 as well (`b1.5`, `b-3`),
- `c/x`: g = 'x' as well,
- `d@9`: at 9 s,
- `*@12`: no event, the clock says 12 s,
- `e@13..15`: an event that begins at 13 s and ends at 15 s,
- `asks>a`: an event of stream asks.

In the pattern every letter is a DEFINE: `a` means `[k = 'a']`. Clauses may follow the pattern. A
match is its aliases with the rows they took, in the order of the text: `a0 a1 b2`; `@10` behind it
says that the clock completed it at 10 s; `silent 0-10` is a silence. `nothing` is no match. The
matches stand in notification order.
"""

import re
from collections.abc import Callable, Iterable
from string import ascii_lowercase
from typing import Any

import pytest

import tocsin

DEFINITIONS = "".join(f"DEFINE {letter} AS k = '{letter}'; " for letter in ascii_lowercase)
S = 1_000_000  # microseconds in a second

_EVENT = re.compile(
    r"(?:(?P<stream>\w+)>)?(?P<k>[a-z*])(?P<v>-?\d+(?:\.\d+)?)?(?:/(?P<g>\w+))?"
    r"(?:@(?P<begin>\d+))?(?:\.\.(?P<end>\d+))?"
)


def rows(stream: str) -> list[dict[str, Any]]:
    """Return the rows of a stream in the notation above."""
    made: list[dict[str, Any]] = []
    clock = -1
    for word in stream.split():
        found = _EVENT.fullmatch(word)
        assert found, word
        begin = clock + 1 if found["begin"] is None else int(found["begin"])
        clock = begin if found["end"] is None else int(found["end"])
        made.append({"$clock": clock * 1000} if found["k"] == "*" else _event(found, begin))
    return made


def _event(found: re.Match[str], begin: int) -> dict[str, Any]:
    row: dict[str, Any] = {"ts": begin * 1000, "k": found["k"]}
    if found["v"] is not None:
        row["v"] = float(found["v"]) if "." in found["v"] else int(found["v"])
    if found["g"] is not None:
        row["g"] = found["g"]
    if found["end"] is not None:
        row["$end"] = int(found["end"]) * 1000
    if found["stream"] is not None:
        row["$stream"] = found["stream"]
    return row


def shown(notification: Any) -> str:
    """Return a notification in the notation above."""
    if not any(notification.events.values()) and notification.position is None:
        return f"silent {notification.begin // S}-{notification.at // S}"
    words = [
        f"{alias}{'?' if position is None else position}"
        for alias, positions in notification.events.items()
        for position in positions
    ]
    if notification.position is None:
        words.append(f"@{notification.at // S}")
    return " ".join(words)


def run(pattern: str, stream: str | Iterable[dict[str, Any]], **options: Any) -> Any:
    """Return the notifications of one subscription over a stream."""
    events = rows(stream) if isinstance(stream, str) else stream
    return tocsin.match(events, f"{DEFINITIONS} SUBSCRIBE s MATCH {pattern}", **options)


def found(pattern: str, stream: str, **options: Any) -> list[str]:
    """Return the matches of a pattern over a stream, both in the notation above."""
    return [shown(notification) for notification in run(pattern, stream, **options)]


def emitted(pattern: str, stream: str, **options: Any) -> list[dict[str, Any]]:
    """Return what a subscription emits over a stream."""
    return [notification.emit for notification in run(pattern, stream, **options)]


def cases(text: str) -> Callable[..., Any]:
    """Give a test `pattern`, `stream` and `expected`, once for each line of a table."""
    made = [pytest.param(*parts, id=" | ".join(parts[:2])) for parts in map(_split, _lines(text))]
    return pytest.mark.parametrize(("pattern", "stream", "expected"), made)


def _lines(text: str) -> list[str]:
    whole: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith(("over ", "gives ")):
            whole[-1] += f" {line}"
        elif line and not line.startswith("#"):
            whole.append(line)
    return whole


def _split(line: str) -> tuple[str, str, list[str]]:
    pattern, rest = line.split(" over ")
    stream, matches = rest.split(" gives ")
    given = matches.strip()
    expected = [] if given == "nothing" else [match.strip() for match in given.split(",")]
    return pattern.strip(), stream.strip(), expected


def test_events_are_one_second_apart_from_the_last_time_that_is_named() -> None:
    assert rows("a b@5 c") == [
        {"ts": 0, "k": "a"},
        {"ts": 5000, "k": "b"},
        {"ts": 6000, "k": "c"},
    ]


def test_a_word_can_carry_a_number_a_group_a_stream_and_an_end() -> None:
    assert rows("a-5 b1.5/x asks>c@4..9 *@12") == [
        {"ts": 0, "k": "a", "v": -5},
        {"ts": 1000, "k": "b", "v": 1.5, "g": "x"},
        {"ts": 4000, "k": "c", "$end": 9000, "$stream": "asks"},
        {"$clock": 12000},
    ]


def test_a_table_has_comments_and_lines_that_go_on() -> None:
    table = """
        # a comment
        a over b gives nothing
        a ; b
            over a b
            gives a0 b1
    """
    assert _lines(table) == ["a over b gives nothing", "a ; b over a b gives a0 b1"]


def test_a_line_of_a_table_has_a_pattern_a_stream_and_its_matches() -> None:
    assert _split("a | b  over  a b  gives  a0, b1") == ("a | b", "a b", ["a0", "b1"])
    assert _split("c over a b gives nothing") == ("c", "a b", [])


def test_a_match_is_shown_by_its_aliases_in_the_order_of_the_text_and_their_rows() -> None:
    assert found("b & a", "a b") == ["b1 a0"]


def test_a_match_completed_by_the_clock_shows_its_time() -> None:
    assert found("a ; !b FOR 10 s", "a *@30") == ["a0 @10"]
    assert found("!b FOR 10 s", "*@0 *@30") == ["silent 0-10"]
