"""Random programs whose atoms are often tied to one key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from tests.engine.programs import derived_programs, wild_programs

import tocsin
from tocsin.language.printer import to_text
from tocsin.language.rewrite import rewrite
from tocsin.language.tree import (
    And,
    Atom,
    Attribute,
    Comparison,
    Expression,
    Iteration,
    Limit,
    Link,
    MatchLimit,
    Program,
    Subscription,
    Variable,
)
from tocsin.language.variables import walk
from tocsin.model.values import Duration
from tocsin.testing.runnable import rows, runnable_programs

Draw = Callable[[st.SearchStrategy[Any]], Any]


@st.composite
def cases(draw: Draw) -> tuple[str, list[dict[str, Any]]]:
    """Return a program, and rows of the streams it reads."""
    if draw(st.integers(0, 2)) == 0:
        return draw(programs(derived_programs())), draw(rows(streams=("base", "base", "other")))
    text = draw(programs(st.one_of(runnable_programs(), wild_programs())))
    return text, draw(rows(max_size=12))


@st.composite
def programs(draw: Draw, texts: st.SearchStrategy[str]) -> str:
    """Return a program of any shape; in many every condition asks for the same `g`."""
    program = tocsin.parse(draw(texts))
    statements = tuple(
        draw(changed(one)) if isinstance(one, Subscription) else one for one in program.statements
    )
    found = to_text(Program(statements))
    try:
        tocsin.check(tocsin.parse(found))
    except tocsin.LanguageError:
        assume(False)
    return str(found)


@st.composite
def changed(draw: Draw, subscription: Subscription) -> Subscription:
    """Return a subscription with ties, with fewer policies and with a window."""
    conditions = sum(isinstance(node, Atom | Link | Iteration) for node in walk(subscription))
    untied = draw(st.sampled_from([None, None, None, draw(st.integers(0, conditions)), "all"]))
    if untied != "all":
        subscription = _tied(subscription, untied)
    if draw(st.booleans()):
        subscription = replace(subscription, pairs="ALL", limit=None)
    if draw(st.integers(0, 5)) == 0:
        subscription = replace(subscription, limit=MatchLimit(1, "key"))
    if subscription.within is None and draw(st.booleans()):
        limit = draw(st.sampled_from([Limit("time", Duration(2_000_000)), Limit("events", 3)]))
        subscription = replace(subscription, within=limit)
    return subscription


def _tied(subscription: Subscription, untied: int | None) -> Subscription:
    """Let every condition but one ask for the key."""
    seen = -1

    def with_key(condition: Expression) -> Expression:
        nonlocal seen
        seen += 1
        key = Comparison("=", Attribute("g"), Variable("key"))
        return condition if seen == untied else And((condition, key))

    def change(node: Any) -> Any:
        match node:
            case Atom(condition=condition) if condition is not None:
                return replace(node, condition=with_key(condition))
            case Link(condition=condition) if condition is not None:
                return replace(node, condition=with_key(condition))
            case Iteration(until=until) if until is not None:
                pattern, by = rewrite(node.pattern, change), rewrite(node.by, change)
                return replace(node, pattern=pattern, by=by, until=with_key(until))
        return None

    tied: Subscription = rewrite(subscription, change)
    return tied
