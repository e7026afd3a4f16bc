"""Hypothesis strategies for subscriptions that run and streams to run them on.

They speak of one small world, so that matches are likely: events have `k` ('a' to 'd'), `g` ('x' or
'y') and `v` (0 to 4), any of which may be missing; times have ties and gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]

_LINKS = (" , ", " -> ", " ; ")
_DEFINITIONS = "DEFINE big AS v > 2;\nDEFINE even AS v % 2 = 0;\n"
_MAX_DEPTH = 2


@dataclass(slots=True)
class _Scope:
    """What the part that is being written may refer to."""

    single: list[str] = field(default_factory=list)
    iterated: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    absent: bool = False
    may_count: bool = True

    def new_alias(self) -> str:
        alias = f"e{len(self.names) + 1}"
        self.names.append(alias)
        return alias

    def copy(self) -> _Scope:
        """Return a scope of its own, in which new aliases stay new to all."""
        return _Scope(
            list(self.single),
            list(self.iterated),
            list(self.variables),
            list(self.inside),
            self.names,
            self.absent,
            self.may_count,
        )

    def in_absence(self) -> _Scope:
        """Return the scope of an absent part: a variable it binds must not be bound later."""
        inner = self.copy()
        inner.absent = True
        return inner


@st.composite
def runnable_programs(
    draw: Draw, *, max_subscriptions: int = 2, sources: tuple[str, ...] = ("",)
) -> str:
    """Return the text of a program that the checker accepts and every engine runs.

    Each subscription reads one of the sources, such as `"base"` or `"base, other"`.
    """
    count = draw(st.integers(1, max_subscriptions))
    read = [draw(st.sampled_from(sources)) for _ in range(count)]
    texts = [draw(runnable_subscriptions(name=f"s{i}", sources=one)) for i, one in enumerate(read)]
    return _DEFINITIONS + ";\n".join(texts)


@st.composite
def runnable_subscriptions(draw: Draw, *, name: str = "s", sources: str = "") -> str:
    """Return the text of one subscription, its pattern and clauses at random."""
    scope = _Scope()
    pattern = draw(_whole_patterns(scope))
    clauses = draw(_clauses(scope))
    start = f" FROM {sources}" if sources else ""
    return f"SUBSCRIBE {name}{start} MATCH {pattern}{clauses}"


@st.composite
def _whole_patterns(draw: Draw, scope: _Scope) -> str:
    if draw(st.integers(0, 19)) == 0:
        every = draw(st.sampled_from(["", " EVERY 2 s", " EVERY 3 s"]))
        return f"!{draw(_atoms(scope.copy()))} FOR {draw(st.integers(1, 4))} s{every}"
    return str(draw(_patterns(scope, 0)))


@st.composite
def _clauses(draw: Draw, scope: _Scope) -> str:
    parts = []
    if draw(st.integers(0, 4)) == 0 and scope.single:
        parts.append(f" WHERE {draw(_comparisons(draw(_references(scope))))}")
    parts.append(draw(st.sampled_from(["", "", " WITHIN 3 s", " WITHIN 5 s", " WITHIN 4 EVENTS"])))
    parts.append(draw(st.sampled_from(["", "", " DUPLICATES FIRST", " DUPLICATES LAST"])))
    parts.append(draw(st.sampled_from(["", "", " PAIRS UNIQUE", " PAIRS SEPARATE"])))
    parts.append(draw(st.sampled_from(["", "", "", " LIMIT 2"])))
    if scope.variables and draw(st.integers(0, 5)) == 0:
        parts[-1] = f" LIMIT 1 PER ${scope.variables[0]}"
    if draw(st.booleans()):
        parts.append(draw(_emit(scope)))
    return "".join(parts)


@st.composite
def _emit(draw: Draw, scope: _Scope) -> str:
    items = ["duration() AS span"]
    items += [f"{alias}.v AS v_{alias}" for alias in scope.single[:2]]
    items += [f"sum({alias}.v) AS sum_{alias}" for alias in scope.iterated[:2]]
    items += [f"count({alias}) AS count_{alias}" for alias in scope.iterated[:1]]
    items += [f"${name} AS var_{name}" for name in scope.variables[:2]]
    return " EMIT " + ", ".join(draw(st.permutations(items)))


@st.composite
def _patterns(draw: Draw, scope: _Scope, depth: int) -> str:
    """Return a pattern; what it binds is in the scope afterwards."""
    kinds = ["atom", "sequence", "sequence", "sequence", "iteration"]
    if depth < _MAX_DEPTH:
        kinds += ["both", "either", "repeat", "guard", "span", "group"]
        kinds += ["nth"] if scope.may_count else []
    return str(draw(_MAKERS[draw(st.sampled_from(kinds))](scope, depth)))


@st.composite
def _atoms(draw: Draw, scope: _Scope, _depth: int = 0, *, alias: str | None = None) -> str:
    name = scope.new_alias() if alias is None else alias
    condition = draw(_conditions(scope, name))
    if alias is None:
        (scope.iterated if scope.inside else scope.single).append(name)
    return f"{name}:[{condition}]"


@st.composite
def _conditions(draw: Draw, scope: _Scope, alias: str) -> str:
    """Return a filter: what kind of event, sometimes a variable, sometimes a look back."""
    parts = [draw(_KINDS_OF_EVENT)]
    if draw(st.integers(0, 2)) == 0:
        parts.append(draw(_bindings(scope, alias)))
    if scope.single and draw(st.integers(0, 2)) == 0:
        parts.append(draw(_comparisons(draw(_references(scope)), own="v")))
    if scope.inside and draw(st.booleans()):
        parts.append(draw(_looks_back(alias)))
    return " AND ".join(parts)


@st.composite
def _bindings(draw: Draw, scope: _Scope, alias: str) -> str:
    free = [f"only_{alias}"] if scope.absent else ["x", "y"]
    variable = draw(st.sampled_from([*scope.variables, *free]))
    attribute = draw(st.sampled_from(["g", "v"])) if variable == "y" else "g"
    if variable not in scope.variables:
        scope.variables.append(variable)
    return f"{attribute} = ${variable}"


_KINDS_OF_EVENT = st.sampled_from(
    [
        "k = 'a'",
        "k = 'b'",
        "k = 'c'",
        "k IN ('a', 'b')",
        "k != 'a'",
        "NOT (k = 'a')",
        "TRUE",
        "big",
        "even",
        "(big OR k = 'b')",
        "v BETWEEN 1 AND 3",
        "v IS PRESENT",
        "k NOT IN ('a', 'c')",
        "k LIKE '%' AND v + 1 < 4",
    ]
)


@st.composite
def _references(draw: Draw, scope: _Scope) -> str:
    alias = draw(st.sampled_from(scope.single))
    return f"{alias}.v"


@st.composite
def _comparisons(draw: Draw, reference: str, own: str = "2") -> str:
    operator = draw(st.sampled_from(["<", "<=", ">", ">=", "=", "!="]))
    return f"{own} {operator} {reference}"


@st.composite
def _looks_back(draw: Draw, alias: str) -> str:
    return str(
        draw(
            st.sampled_from(
                [
                    f"(prev({alias}.v) IS MISSING OR v >= prev({alias}.v))",
                    f"v != first({alias}.v)",
                    f"count({alias}) < 2",
                    f"sum({alias}.v) < 6",
                    f"(count({alias}) = 0 OR v > avg({alias}.v))",
                    f"(count({alias}) = 0 OR v <= max({alias}.v))",
                    f"NOT ({alias}[1].v = v)",
                    f"(v = 1 OR count({alias}) > 0)",
                ]
            )
        )
    )


@st.composite
def _sequences(draw: Draw, scope: _Scope, depth: int) -> str:
    link = draw(st.sampled_from(_LINKS))
    parts = [draw(_elements(scope, depth, first=True))]
    may_count, scope.may_count = scope.may_count, scope.may_count and link == " ; "
    for _ in range(draw(st.integers(1, 2))):
        joint = link
        if _waits(parts[-1]):
            pass
        elif link != " , " and draw(st.integers(0, 3)) == 0:
            joint = f"{link}{draw(_absences(scope))}{link}"
        elif link == " -> " and draw(st.integers(0, 3)) == 0:
            joint = f" ->{{{draw(_KINDS_OF_EVENT)}}} "
        elif link != " , " and not parts[-1].endswith("?") and draw(st.integers(0, 5)) == 0:
            joint = f" , {draw(_absences(scope))}{link}"
        elif link == " ; " and draw(st.integers(0, 5)) == 0:
            joint = f" ; {draw(_absences(scope))} FOR {draw(st.integers(1, 3))} s ; "
        parts += [joint, draw(_elements(scope, depth, first=False))]
    scope.may_count = may_count
    lead, tail = "", ""
    if link == " ; " and draw(st.integers(0, 7)) == 0:
        span = draw(st.sampled_from(["", " FOR 2 s"]))
        lead = f"!{draw(_silent_atoms())}{span} ; "
    if link == " ; " and not _waits(parts[-1]) and draw(st.integers(0, 5)) == 0:
        tail = f" ; {draw(_absences(scope))} FOR {draw(st.integers(1, 3))} s"
    return f"({lead}{''.join(parts)}{tail})"


def _waits(part: str) -> bool:
    """Say whether a part may end in `!q FOR T`, which no other absence may follow."""
    return part.rstrip(")").endswith(" s")


@st.composite
def _silent_atoms(draw: Draw) -> str:
    return f"[{draw(_KINDS_OF_EVENT)}]"


@st.composite
def _absences(draw: Draw, scope: _Scope) -> str:
    return f"!{draw(_atoms(scope.in_absence()))}"


@st.composite
def _elements(draw: Draw, scope: _Scope, depth: int, *, first: bool) -> str:
    """Return a part of a sequence; the first is always there, so that it cannot vanish."""
    if not first and draw(st.integers(0, 6)) == 0:
        inner = scope.copy()
        atom = draw(_atoms(inner))
        scope.variables = inner.variables
        return f"{atom}?"
    match draw(st.integers(0, 7)):
        case 0 | 1 if depth < _MAX_DEPTH:
            return str(draw(_patterns(scope, depth + 1)))
        case 2 if not first:
            return str(draw(_bare_iterations(scope)))
    return str(draw(_atoms(scope)))


@st.composite
def _iterations(draw: Draw, scope: _Scope, _depth: int) -> str:
    return f"({draw(_bare_iterations(scope))})"


@st.composite
def _bare_iterations(draw: Draw, scope: _Scope) -> str:
    """Return an iteration without parentheses, so that its UNTIL stands right behind a joint."""
    inner = scope.copy()
    inner.inside.append("iteration")
    atom = draw(_atoms(inner))
    scope.iterated, scope.variables = inner.iterated, inner.variables
    bounds = draw(st.sampled_from(["+", "{2}", "{1,2}", "{2,3}"]))
    by = draw(st.sampled_from(["", " BY ,", " BY ;", " BY ->{k != 'd'}"]))
    until = draw(st.sampled_from(["", "", " UNTIL (k = 'd')", " UNTIL (v = 4)"]))
    alias = atom.partition(":")[0]
    ends = [
        "",
        "",
        "",
        f" @ (last({alias}.v) < 3)",
        f" @ (count({alias}) > 1 OR last({alias}.v) = 1)",
    ]
    return f"{atom}{bounds}{by}{until}{draw(st.sampled_from(ends))}"


@st.composite
def _both(draw: Draw, scope: _Scope, depth: int) -> str:
    sides = [draw(_patterns(inner := scope.copy(), depth + 1)), inner]
    others = [draw(_patterns(inner := scope.copy(), depth + 1)), inner]
    _merge(scope, sides[1], others[1])
    return f"({sides[0]} & {others[0]})"


@st.composite
def _either(draw: Draw, scope: _Scope, depth: int) -> str:
    sides = [draw(_patterns(inner := scope.copy(), depth + 1)), inner]
    others = [draw(_patterns(inner := scope.copy(), depth + 1)), inner]
    _merge(scope, sides[1], others[1])
    return f"({sides[0]} | {others[0]})"


def _merge(scope: _Scope, *sides: _Scope) -> None:
    for side in sides:
        for name in ("single", "iterated", "variables"):
            known = getattr(scope, name)
            known += [item for item in getattr(side, name) if item not in known]


@st.composite
def _counted(draw: Draw, scope: _Scope, depth: int) -> str:
    return f"nth({draw(st.integers(1, 3))}, {draw(_patterns(scope, depth + 1))})"


@st.composite
def _repeats(draw: Draw, scope: _Scope, _depth: int) -> str:
    inner = scope.copy()
    atom = draw(_atoms(inner))
    scope.variables = inner.variables
    scope.iterated.append(atom.partition(":")[0])
    by = draw(st.sampled_from(["", " BY &", " BY ->", " BY ,"]))
    step = draw(st.integers(-1, 1))
    return f"repeat({atom}, {draw(st.integers(2, 3))}, v, {step}){by}"


@st.composite
def _guards(draw: Draw, scope: _Scope, depth: int) -> str:
    part = draw(_patterns(scope, depth + 1))
    conditions = ["duration() < 3 s", "duration() >= 1 s"]
    conditions += [f"t({alias}) > begin({alias})" for alias in scope.single[:1]]
    conditions += [f"{alias}.v < 3" for alias in scope.single[-1:]]
    conditions += [f"last({alias}.v) < 3" for alias in scope.iterated[-1:]]
    return f"({part}) @ ({draw(st.sampled_from(conditions))})"


@st.composite
def _spans(draw: Draw, scope: _Scope, depth: int) -> str:
    limit = draw(st.sampled_from(["2 s", "4 s", "3 EVENTS"]))
    return f"({draw(_patterns(scope, depth + 1))} WITHIN {limit})"


@st.composite
def _groups(draw: Draw, scope: _Scope, depth: int) -> str:
    return f"({draw(_patterns(scope, depth + 1))})"


_MAKERS: dict[str, Callable[[_Scope, int], st.SearchStrategy[str]]] = {
    "atom": _atoms,
    "sequence": _sequences,
    "iteration": _iterations,
    "both": _both,
    "either": _either,
    "nth": _counted,
    "repeat": _repeats,
    "guard": _guards,
    "span": _spans,
    "group": _groups,
}


@st.composite
def rows(draw: Draw, *, max_size: int = 9, streams: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Return rows in order of time, with ties, gaps, missing values, clocks and durations."""
    found: list[dict[str, Any]] = []
    moment = 0
    for _ in range(draw(st.integers(0, max_size))):
        moment += draw(st.sampled_from([0, 500, 1000, 1000, 1000, 2000, 4000]))
        if draw(st.integers(0, 9)) == 0:
            found.append({"$clock": moment})
            moment += 500
        else:
            found.append(draw(_events(moment, streams)))
            moment = max(moment, found[-1].get("$end", 0))
    return found


@st.composite
def _events(draw: Draw, moment: int, streams: tuple[str, ...]) -> dict[str, Any]:
    row: dict[str, Any] = {"ts": moment, "k": draw(st.sampled_from("aabbcd"))}
    if draw(st.integers(0, 5)):
        row["v"] = draw(st.integers(0, 4))
    if draw(st.integers(0, 5)):
        row["g"] = draw(st.sampled_from("xy"))
    if streams:
        row["$stream"] = draw(st.sampled_from(streams))
    if draw(st.integers(0, 9)) == 0:
        row["$end"] = moment + draw(st.sampled_from([500, 1000]))
    return row
