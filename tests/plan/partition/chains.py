"""Small programs of chains: each event is mostly the very next one of its key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from tests.plan.partition.dense import is_accepted

Draw = Callable[[st.SearchStrategy[Any]], Any]

_FILTERS = st.sampled_from(["", "", "", "", " AND k = 'a'", " AND v > 0", " AND v = 0"])
_CLAUSES = ["", "", "", "", " WITHIN 2 s", " WITHIN 4 EVENTS", " DUPLICATES FIRST"]
_CLAUSES += [" DUPLICATES LAST"]
_WILD_CLAUSES = [" PAIRS UNIQUE", " LIMIT 2"]
_WILD_JOINTS = [" , ", " ; ", " -> ![g = $key AND v = 1] -> ", " ->{g = $key AND v = 1} "]


@st.composite
def chain_cases(draw: Draw) -> tuple[str, list[dict[str, Any]]]:
    """Return a program of one or two chains, and rows that have much to match."""
    text = draw(chain_texts())
    assume(is_accepted(text))
    return text, draw(chain_rows())


@st.composite
def chain_texts(draw: Draw) -> str:
    """Return a program that the checker may refuse; in a few an event need not be the next one."""
    is_wild = draw(st.integers(0, 5)) == 0
    clauses = st.sampled_from(_CLAUSES + _WILD_CLAUSES * is_wild)
    return ";\n".join(
        f"SUBSCRIBE s{n} FROM one MATCH {draw(_chains(is_wild=is_wild))}{draw(clauses)}"
        for n in range(draw(st.sampled_from([1, 1, 2])))
    )


@st.composite
def chain_rows(draw: Draw) -> list[dict[str, Any]]:
    """Return rows of few keys, at small distances; some have none, and some last."""
    found: list[dict[str, Any]] = []
    moment = 0
    for _ in range(draw(st.integers(4, 14))):
        moment += draw(st.sampled_from([0, 500, 500, 1000]))
        row = {"ts": moment, "k": draw(st.sampled_from("aab")), "v": draw(st.integers(0, 1))}
        row["$stream"] = "one"
        if draw(st.integers(0, 4)):
            row["g"] = draw(st.sampled_from([1, 1.0, 1, 2]))
        if draw(st.integers(0, 9)) == 0:
            moment += 500
            row["$end"] = moment
        found.append(row)
    return found


@st.composite
def _chains(draw: Draw, *, is_wild: bool) -> str:
    names: list[str] = []
    parts = [draw(_elements(names))]
    for _ in range(draw(st.integers(1, 3))):
        parts += [draw(_joints(names, is_wild=is_wild)), draw(_elements(names))]
    return "".join(parts)


@st.composite
def _joints(draw: Draw, names: list[str], *, is_wild: bool) -> str:
    match draw(st.integers(0, 9)):
        case 0:
            return f" ->{{g = $key AND g = {names[0]}.g}} "
        case 1:
            return f" ->{{g = {draw(st.sampled_from(names))}.g}} "
        case 2:
            return " -> "
        case 3 if is_wild:
            return str(draw(st.sampled_from(_WILD_JOINTS)))
    return " ->{g = $key} "


@st.composite
def _elements(draw: Draw, names: list[str]) -> str:
    atom = draw(_atoms(names))
    match draw(st.integers(0, 13)):
        case 0:
            return f"{atom}?"
        case 1 | 2:
            times = draw(st.sampled_from(["{2}", "{1,3}", "{0,2}"]))
            by = draw(st.sampled_from([" BY ->{g = $key}", " BY ->{g = $key}", ""]))
            return f"({atom}{times}{by})"
        case 3:
            return f"({atom} | {draw(_atoms(names))})"
        case 4:
            return f"({atom} @ (duration() < 2 s))"
        case 5:
            return f"({atom} ->{{g = $key}} {draw(_atoms(names))} WITHIN 1 s)"
        case 6:
            return f"({atom} ->{{g = $key}} {draw(_atoms(names))} | {draw(_atoms(names))})"
    return str(atom)


@st.composite
def _atoms(draw: Draw, names: list[str]) -> str:
    names.append(f"e{len(names) + 1}")
    return f"{names[-1]}:[g = $key{draw(_FILTERS)}]"
