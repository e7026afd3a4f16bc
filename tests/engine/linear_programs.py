"""Linear subscriptions at random, which run in lanes; many of their matches complete together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]

_FIRST = ["a:[k = 'a']", "a:[g = $x]", "a:[v = $x]", "a:[k != 'd']{1,2}", "a:[v = $y AND g = $x]"]
_LAST = ["b:[k = 'b']", "b:[g = $x]", "b:[v = $x]", "b:[v >= 2]{1,2}", "[v = $y]", "b:[TRUE]?"]
_EMITS = [
    "",
    " EMIT duration() AS span, count(a) AS n, 'seen' AS word, 1 AS one",
    " EMIT $x AS x, t(b) AS at, first(a.v) AS v, a[1].v + 1 AS more",
    " EMIT first(a.v) AS f, last(a.v) AS l, count(a) AS n",
    " EMIT last(a.g) AS g, begin(b) AS start, b.v AS v",
]


@st.composite
def linear_subscriptions(draw: Draw, *, name: str, source: str | None = None) -> str:
    """Return one subscription; what does not fit its pattern is left out."""
    link = draw(st.sampled_from([" ; ", " ; ", " -> ", " , "]))
    first, last = draw(st.sampled_from(_FIRST)), draw(st.sampled_from(_LAST))
    limits = ["", "", " LIMIT 2", " LIMIT 1 PER $x"]
    clauses = [
        draw(st.sampled_from(["", " WITHIN 4 s", " WITHIN 5 EVENTS"])),
        draw(st.sampled_from(["", " DUPLICATES FIRST", " DUPLICATES LAST"])),
        draw(st.sampled_from(["", " PAIRS UNIQUE", " PAIRS SEPARATE"])),
        draw(st.sampled_from(limits if "$x" in first else limits[:3])),
    ]
    emit = draw(st.sampled_from(_EMITS))
    speaks_of_b = "(b)" in emit or "b.v" in emit
    fits = "$x" not in emit or "$x" in first
    fits_last = not speaks_of_b or (last.startswith("b:") and "{" not in last)
    emit = emit if fits and fits_last else _EMITS[1]
    origin = "" if source is None else f" FROM {source}"
    return f"SUBSCRIBE {name}{origin} MATCH {first}{link}{last}{''.join(clauses)}{emit}"


@st.composite
def linear_programs(draw: Draw, *, sources: tuple[str | None, ...] = (None,)) -> str:
    """Return one to three subscriptions, each of one of the streams."""
    count = draw(st.integers(1, 3))
    texts = [
        draw(linear_subscriptions(name=f"s{i}", source=draw(st.sampled_from(sources))))
        for i in range(count)
    ]
    return ";\n".join(texts)
