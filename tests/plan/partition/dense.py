"""Small programs about keys and windows that match often: where proofs are most easily wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

import tocsin

Draw = Callable[[st.SearchStrategy[Any]], Any]

_FILTERS = st.sampled_from(["TRUE", "k = 'a'", "k = 'b'", "k != 'a'", "v > 0"])
_SECONDS = st.sampled_from(["1 s", "2 s"])
_WITHIN = ["", " WITHIN 1 s", " WITHIN 2 s", " WITHIN 2 s", " WITHIN 3 EVENTS"]
_POLICIES = [
    *("", "", "", ""),
    *(" DUPLICATES FIRST", " DUPLICATES LAST", " PAIRS UNIQUE", " PAIRS SEPARATE"),
    *(" LIMIT 2", " LIMIT 1 PER $key"),
]


class _Names:
    """The aliases so far, and how likely an atom is tied."""

    def __init__(self, tied: int) -> None:
        self.given: list[str] = []
        self.tied = tied

    def new(self) -> str:
        self.given.append(f"e{len(self.given) + 1}")
        return self.given[-1]


@st.composite
def dense_cases(draw: Draw) -> tuple[str, list[dict[str, Any]]]:
    """Return a program of one or two subscriptions, and rows that have much to match."""
    text = draw(dense_texts())
    assume(is_accepted(text))
    return text, draw(dense_rows())


@st.composite
def dense_texts(draw: Draw) -> str:
    """Return a program that the checker may refuse."""
    texts = [draw(_subscriptions(f"s{n}")) for n in range(draw(st.integers(1, 2)))]
    text = ";\n".join(texts)
    if draw(st.integers(0, 3)) == 0:
        text = f"{text} EMIT {draw(_EMITTED)} INTO made;\n{draw(_subscriptions('r', 'made'))}"
    return text


def is_accepted(text: str) -> bool:
    """Say whether the checker accepts a program."""
    try:
        tocsin.check(tocsin.parse(text))
    except tocsin.LanguageError:
        return False
    return True


_EMITTED = st.sampled_from(
    [
        "'a' AS k, 1 AS v, e1.g AS g, e1.g AS h",
        "'a' AS k, $key AS g, $key AS h",
        "'b' AS k, 'x' AS g",
    ]
)


@st.composite
def _subscriptions(draw: Draw, name: str, source: str = "") -> str:
    names = _Names(draw(st.sampled_from([1, 8, 8, 30])))
    source = source or draw(st.sampled_from(["one", "one", "one, two"]))
    pattern = draw(_wholes(names))
    where = ""
    if len(names.given) > 1 and draw(st.integers(0, 4)) == 0:
        one, other = draw(st.permutations(names.given))[:2]
        where = f" WHERE {one}.g = {other}.g"
    clauses = draw(st.sampled_from(_WITHIN)) + draw(st.sampled_from(_POLICIES))
    return f"SUBSCRIBE {name} FROM {source} MATCH {pattern}{where}{clauses}"


@st.composite
def _wholes(draw: Draw, names: _Names) -> str:
    if draw(st.integers(0, 11)) == 0:
        every = draw(st.sampled_from(["", "", " EVERY 1 s"]))
        return f"!{draw(_atoms(names))} FOR {draw(_SECONDS)}{every}"
    if draw(st.integers(0, 9)) == 0:
        return f"nth(2, {draw(_chains(names))})"
    return str(draw(_chains(names)))


@st.composite
def _atoms(draw: Draw, names: _Names) -> str:
    alias = names.new()
    return f"{alias}:[{draw(_FILTERS)}{draw(_ties(names, alias))}]"


@st.composite
def _ties(draw: Draw, names: _Names, alias: str = "") -> str:
    """Return what ties an event to the key: a variable, an earlier event, or nothing."""
    if draw(st.integers(0, names.tied)) == 0:
        return ""
    others = [other for other in names.given if other != alias]
    if others and draw(st.integers(0, 3)) == 0:
        return f" AND g = {draw(st.sampled_from(others))}.g"
    return str(draw(st.sampled_from([" AND g = $key"] * 5 + [" AND $key = g", " AND h = $key"])))


@st.composite
def _chains(draw: Draw, names: _Names) -> str:
    link = draw(st.sampled_from([" ; ", " ; ", " -> ", " , "]))
    parts = [draw(_elements(names))]
    for _ in range(draw(st.integers(0, 2))):
        parts += [draw(_joints(names, link)), draw(_elements(names))]
    lead = tail = ""
    if link == " ; " and draw(st.integers(0, 4)) == 0:
        span = draw(st.sampled_from(["", " FOR 1 s", " FOR 1 s"]))
        lead = f"!{draw(_atoms(names))}{span} ; "
    if link == " ; " and draw(st.integers(0, 3)) == 0:
        tail = f" ; !{draw(_atoms(names))} FOR {draw(_SECONDS)}"
    return f"({lead}{''.join(parts)}{tail})"


@st.composite
def _joints(draw: Draw, names: _Names, link: str) -> str:
    match draw(st.integers(0, 7)):
        case 0 | 1 if link != " , ":
            return f"{link}!{draw(_atoms(names))}{link}"
        case 2 if link == " -> ":
            return f" ->{{{draw(_FILTERS)}{draw(_ties(names))}}} "
        case 3 if link != " , ":
            return f" , !{draw(_atoms(names))}{link}"
        case 4 if link == " ; ":
            return f" ; !{draw(_atoms(names))} FOR 1 s ; "
    return link


@st.composite
def _elements(draw: Draw, names: _Names) -> str:
    atom = draw(_atoms(names))
    match draw(st.integers(0, 15)):
        case 0:
            return f"{atom}?"
        case 1 | 2:
            by = draw(st.sampled_from(["", " BY ,", " BY ;"]))
            until = f" UNTIL ({draw(_FILTERS)}{draw(_ties(names))})" if draw(st.booleans()) else ""
            return f"({atom}{draw(st.sampled_from(['+', '{2}', '{1,2}']))}{by}{until})"
        case 3:
            return f"({atom} & {draw(_atoms(names))})"
        case 4:
            return f"({atom} | {draw(_atoms(names))})"
        case 5:
            return f"nth(2, {atom})"
        case 6:
            other = draw(_atoms(names))
            return f"({atom} ; {other}) @ ({names.given[-1]}.g = {names.given[-2]}.g)"
        case 7:
            return f"({atom} ; {draw(_atoms(names))} WITHIN 1 s)"
        case 8:
            return f"repeat({atom}, 2, v, 0){draw(st.sampled_from(['', ' BY &']))}"
    return str(atom)


@st.composite
def dense_rows(draw: Draw) -> list[dict[str, Any]]:
    """Return rows of two streams and few values, at small distances; some last."""
    found: list[dict[str, Any]] = []
    moment = 0
    for _ in range(draw(st.integers(2, 10))):
        moment += draw(st.sampled_from([0, 500, 500, 1000, 3000]))
        row = {"ts": moment, "k": draw(st.sampled_from("aab")), "v": draw(st.integers(0, 1))}
        row["$stream"] = draw(st.sampled_from(["one", "one", "one", "two"]))
        for name in ("g", "h"):
            if draw(st.integers(0, 7)):
                row[name] = draw(st.sampled_from([1, 1.0, 2]))
        if draw(st.integers(0, 9)) == 0:
            moment += 1000
            row["$end"] = moment
        found.append(row)
    if draw(st.booleans()):
        found.append({"$clock": moment + draw(st.sampled_from([500, 4000]))})
    return found
