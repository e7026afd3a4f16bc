"""Compiled expressions have the values that the reference gives them, whatever they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from tocsin.engine.expressions import compile_condition, compile_value
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.static import no_filters
from tocsin.engine.state import Left
from tocsin.engine.state import Placed as PlacedHere
from tocsin.language import tree
from tocsin.language.normal import Leaf
from tocsin.language.parser import parse_expression
from tocsin.language.variables import walk
from tocsin.model.event import Event
from tocsin.model.values import Timestamp
from tocsin.reference.context import Context, Placed, Taken
from tocsin.reference.evaluate import View, holds, satisfy, value
from tocsin.testing.strategies import expressions, values

NAMES = st.sampled_from(["a", "b", "x", "price", "t", "min", "count", "first"])
RECORDS = st.dictionaries(NAMES, st.none() | values() | st.integers(0, 3), max_size=5)
LEAVES = {alias: Leaf(i, alias, None, tree.Literal(True)) for i, alias in enumerate("abx")}
PARTS = {alias: LeafPart(leaf, no_filters()) for alias, leaf in LEAVES.items()}


@st.composite
def _matched(draw: Any) -> list[tuple[str, Event]]:
    found = []
    for number in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, 3))
        end = begin + draw(st.integers(0, 2))
        event = Event("s", number, Timestamp(begin), Timestamp(end), draw(RECORDS))
        found.append((draw(st.sampled_from("abx")), event))
    return found


MARKS = st.dictionaries(st.sampled_from("abx"), st.integers(0, 2), max_size=2)
BOUND = st.dictionaries(NAMES, values(), max_size=2)
OWN = st.none() | st.sampled_from("abx")


def _runs(expression: tree.Expression) -> bool:
    """Leave out what the checker refuses, or what does not run yet."""
    nodes = list(walk(expression))
    numbers = [node.which for node in nodes if isinstance(node, tree.EventReference)]
    return 0 not in numbers and not any(
        isinstance(node, tree.Parameter | tree.Vague) for node in nodes
    )


def _outcome(call: Callable[..., Any], *arguments: object) -> Any:
    """Return a value with its type, or the type of the error: a wrong regular expression."""
    try:
        found = call(*arguments)
    except Exception as error:
        return type(error)
    return type(found), found


@given(expressions(), _matched(), RECORDS, BOUND, MARKS, OWN)
@example(parse_expression("x NOT IN (1, 'a')"), [], {"x": 2}, {}, {}, None)
@example(parse_expression("prev(a.x) IS MISSING"), [], {}, {}, {"a": 0}, None)
def test_values_and_conditions_agree(
    expression: tree.Expression,
    matched: list[tuple[str, Event]],
    record: dict[str, Any],
    bound: dict[str, Any],
    marks: dict[str, int],
    own: str | None,
) -> None:
    assume(_runs(expression))
    event = Event("s", 9, Timestamp(5), Timestamp(6), record)
    context = Context(
        tuple(Taken(LEAVES[alias], Placed(i, (i, 1), e)) for i, (alias, e) in enumerate(matched)),
        bound,
        None,
        marks,
    )
    left = Left(
        tuple((PARTS[alias], PlacedHere(i, (i, 1), e)) for i, (alias, e) in enumerate(matched)),
        bound,
        None,
        marks,
    )
    get, says = compile_value(expression, own), compile_condition(expression, own)
    for current in (event, None):
        view = View(context, current, own)
        assert _outcome(get, left, current) == _outcome(value, expression, view)
        assert _outcome(says, left, current) == _outcome(holds, expression, view)


@given(expressions(), expressions(), RECORDS, BOUND)
def test_filters_bind_the_same_variables(
    one: tree.Expression, other: tree.Expression, record: dict[str, Any], bound: dict[str, Any]
) -> None:
    binds = tree.Comparison("=", tree.Attribute("a"), tree.Variable("x"))
    condition = tree.And((one, binds, other))
    assume(_runs(condition))
    event = Event("s", 9, Timestamp(5), Timestamp(6), record)
    part = LeafPart(Leaf(0, "a", None, condition), no_filters())
    found = _outcome(part.take, Left((), bound, None, {}), event)
    wanted = _outcome(satisfy, condition, View(Context((), bound), event, "a"))
    if isinstance(found, type) or isinstance(wanted, type):
        return  # what the event alone decides comes first, so the wrong expression may not run
    assert found == wanted
