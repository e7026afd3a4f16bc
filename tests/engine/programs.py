"""Strategies wider than those of `tocsin.testing`: whatever the checker lets pass, streams derived
from streams, unions, and subscriptions that come and go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

import tocsin
from tocsin.testing.runnable import rows, runnable_subscriptions

Draw = Callable[[st.SearchStrategy[Any]], Any]

DEFINITIONS = "DEFINE big AS v > 2;\nDEFINE even AS v % 2 = 0;\n"
_FILTERS = ["k = 'a'", "k = 'b'", "k = 'c'", "k != 'a'", "TRUE", "big", "even", "v IS PRESENT"]
_LOOKS_BACK = [
    "(prev({0}.v) IS MISSING OR v >= prev({0}.v))",
    "count({0}) < 2",
    "sum({0}.v) < 6",
    "NOT ({0}[1].v = v)",
    "v != first({0}.v)",
]
_SECONDS = st.integers(1, 3)


class _Names:
    """The aliases given out so far."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def new(self) -> str:
        self.given.append(f"e{len(self.given) + 1}")
        return self.given[-1]


@st.composite
def wild_patterns(draw: Draw) -> str:
    """Return a pattern of nested operators that the checker accepts."""
    pattern = draw(_part(_Names(), 3))
    try:
        tocsin.check(tocsin.parse(f"{DEFINITIONS} SUBSCRIBE s MATCH {pattern}"))
    except tocsin.LanguageError:
        assume(False)
    return str(pattern)


@st.composite
def wild_programs(draw: Draw) -> str:
    """Return a program of one subscription with such a pattern."""
    pattern = draw(wild_patterns())
    clauses = [
        draw(st.sampled_from(["", "", " WITHIN 3 s", " WITHIN 5 s", " WITHIN 4 EVENTS"])),
        draw(st.sampled_from(["", "", "", " DUPLICATES FIRST", " DUPLICATES LAST"])),
        draw(st.sampled_from(["", "", "", " PAIRS UNIQUE", " PAIRS SEPARATE"])),
        draw(st.sampled_from(["", "", "", "", " LIMIT 2"])),
        draw(st.sampled_from(["", " EMIT duration() AS span"])),
    ]
    return f"{DEFINITIONS}SUBSCRIBE s MATCH {pattern}{''.join(clauses)}"


@st.composite
def _part(draw: Draw, names: _Names, depth: int) -> str:
    if depth == 0:
        return str(draw(_atom(names)))
    makers = [_atom, _chain, _chain, _chain, _iteration, _both, _either, _wrapped, _repeat]
    maker = draw(st.sampled_from(makers))
    return str(draw(maker(names) if maker is _atom else maker(names, depth - 1)))


@st.composite
def _atom(draw: Draw, names: _Names) -> str:
    alias = names.new()
    parts = [draw(st.sampled_from(_FILTERS))]
    match draw(st.integers(0, 8)):
        case 0 | 1:
            parts.append(f"g = ${draw(st.sampled_from('xy'))}")
        case 2:
            other = draw(st.sampled_from(names.given))
            parts.append(f"v {draw(st.sampled_from(['<', '>=', '!=']))} {other}.v")
        case 3:
            other = draw(st.sampled_from(names.given))
            parts.append(draw(st.sampled_from(_LOOKS_BACK)).format(other))
    return f"{alias}:[{' AND '.join(parts)}]"


@st.composite
def _chain(draw: Draw, names: _Names, depth: int) -> str:
    link = draw(st.sampled_from([" , ", " -> ", " ; ", " ; "]))
    lead = tail = ""
    if link == " ; " and draw(st.integers(0, 5)) == 0:
        lead = f"!{draw(_part(names, min(depth, 1)))}{draw(_spans())} ; "
    parts = [draw(_part(names, depth))]
    for _ in range(draw(st.integers(1, 2))):
        parts += [draw(_joints(names, depth, link)), draw(_part(names, depth))]
    if link == " ; " and draw(st.integers(0, 3)) == 0:
        tail = f" ; !{draw(_part(names, min(depth, 1)))} FOR {draw(_SECONDS)} s"
    return f"({lead}{''.join(parts)}{tail})"


@st.composite
def _spans(draw: Draw) -> str:
    return str(draw(st.sampled_from(["", " FOR 1 s", " FOR 2 s"])))


@st.composite
def _joints(draw: Draw, names: _Names, depth: int, link: str) -> str:
    match draw(st.integers(0, 8)):
        case 0 if link != " , ":
            return f"{link}!{draw(_part(names, min(depth, 1)))}{link}"
        case 1 if link == " -> ":
            return f" ->{{{draw(st.sampled_from(_FILTERS))}}} "
        case 2 if link != " , ":
            return f" , !{draw(_atom(names))}{link}"
        case 3 if link == " ; ":
            return f" ; !{draw(_part(names, min(depth, 1)))} FOR {draw(_SECONDS)} s ; "
    return link


@st.composite
def _iteration(draw: Draw, names: _Names, depth: int) -> str:
    part = draw(_part(names, depth))
    bounds = draw(st.sampled_from(["?", "+", "*", "{2}", "{1,2}", "{2,3}"]))
    by = draw(st.sampled_from(["", " BY ,", " BY ;", " BY ->{k != 'd'}"])) if bounds != "?" else ""
    until = draw(st.sampled_from(["", "", "", " UNTIL (k = 'd')", " UNTIL (v = 4)"]))
    return f"({part}{bounds}{by}{until})"


@st.composite
def _both(draw: Draw, names: _Names, depth: int) -> str:
    return f"({draw(_part(names, depth))} & {draw(_part(names, depth))})"


@st.composite
def _either(draw: Draw, names: _Names, depth: int) -> str:
    return f"({draw(_part(names, depth))} | {draw(_part(names, depth))})"


@st.composite
def _wrapped(draw: Draw, names: _Names, depth: int) -> str:
    part = draw(_part(names, depth))
    form = draw(
        st.sampled_from(
            [
                "({}) @ (duration() < 3 s)",
                "({}) @ (duration() >= 1 s)",
                "({} WITHIN 2 s)",
                "({} WITHIN 3 EVENTS)",
                "nth(1, {})",
                "nth(2, {})",
                "nth(3, {})",
            ]
        )
    )
    return str(form.format(part))


@st.composite
def _repeat(draw: Draw, names: _Names, _depth: int) -> str:
    by = draw(st.sampled_from(["", " BY &", " BY ->", " BY ,"]))
    atom, times = draw(_atom(names)), draw(st.integers(2, 3))
    return f"repeat({atom}, {times}, v, {draw(st.integers(-1, 1))}){by}"


@st.composite
def derived_programs(draw: Draw) -> str:
    """Return subscriptions that read what others emit, alone or merged with other streams."""
    streams = ["base", "other"]
    texts = []
    for number in range(draw(st.integers(2, 4))):
        sources = draw(st.lists(st.sampled_from(streams), min_size=1, max_size=2, unique=True))
        text = draw(runnable_subscriptions(name=f"s{number}", sources=", ".join(sources)))
        pattern, _, _ = text.partition(" EMIT ")
        emit = draw(st.sampled_from(_EMITS))
        into = f"d{number}" if draw(st.integers(0, 3)) else draw(st.sampled_from(["d0", "d1"]))
        texts.append(f"{pattern} EMIT {emit} INTO {into}")
        if into not in streams:
            streams.append(into)
    text = DEFINITIONS + ";\n".join(draw(st.permutations(texts)))
    try:
        tocsin.check(tocsin.parse(text))
    except tocsin.LanguageError:
        assume(False)
    return text


_EMITS = ["'a' AS k, 1 AS v", "'b' AS k, 3 AS v, 'x' AS g", "'c' AS k, 2 AS v, 'y' AS g"]


@st.composite
def live_rows(draw: Draw) -> list[dict[str, Any]]:
    """Return rows among which subscriptions are made and ended."""
    stream: list[dict[str, Any]] = list(draw(rows(streams=("base", "other"))))
    live: list[str] = ["s0"]
    for number in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(stream)))
        text = draw(runnable_subscriptions(name=f"n{number}", sources=draw(_SOURCES)))
        text = text.partition(" EMIT ")[0] + draw(_EMIT) + draw(_SINCE)
        stream.insert(at, {"$subscribe": text})
        live.append(f"n{number}")
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(stream)))
        stream.insert(at, {"$unsubscribe": draw(st.sampled_from(live))})
    return stream


_SOURCES = st.sampled_from(["base", "base, other", "made", "base, made"])
_EMIT = st.sampled_from(["", "", f" EMIT {_EMITS[0]} INTO made", f" EMIT {_EMITS[1]} INTO made"])
_SINCE = st.sampled_from(
    ["", "", " SINCE BEGINNING", " SINCE BEGINNING ONLY NEW", " SINCE 2000", " SINCE 1000 ONLY NEW"]
)


@st.composite
def live_programs(draw: Draw) -> str:
    """Return what is in force before those rows."""
    first = draw(runnable_subscriptions(name="s0", sources="base")).partition(" EMIT ")[0]
    return f"{DEFINITIONS}{first} EMIT 'a' AS k, 1 AS v, 'x' AS g INTO made"
