"""A pattern as a row of elements, where it is one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tocsin.language.normal import (
    Bounded,
    Chain,
    Guard,
    Joint,
    Leaf,
    Normal,
    Repeated,
    can_be_empty,
)
from tocsin.language.tree import Expression
from tocsin.plan.linear.nodes import NotLinearError

MOST_REPETITIONS: Final = 32
"""Bounded iterations are written out, up to here."""


_FIRST: Final = Joint("->")


@dataclass(frozen=True, slots=True)
class Element:
    """An atom and how often it may be repeated.

    `joint` is how it follows the element before it, `guards` are conditions on all up to its end.
    """

    leaf: Leaf
    joint: Joint | None = None
    low: int = 1
    high: int | None = 1
    by: Joint = _FIRST
    until: Expression | None = None
    guards: tuple[Expression, ...] = ()


def elements_of(node: Normal) -> list[Element]:
    """Return the elements of a pattern in order.

    Raises
    ------
    NotLinearError
        Says which part is none.
    """
    match node:
        case Leaf():
            return [Element(node)]
        case Chain():
            return _of_chain(node)
        case Repeated():
            return [_of_iteration(node)]
        case Guard():
            return _guarded(node)
        case Bounded():
            msg = "WITHIN on a part"
        case _:
            msg = f"{type(node).__name__}"
    raise NotLinearError(msg)


def _of_chain(chain: Chain) -> list[Element]:
    if chain.lead is not None or chain.tail is not None:
        msg = "an absence"
        raise NotLinearError(msg)
    found: list[Element] = []
    for index, part in enumerate(chain.elements):
        elements = elements_of(part)
        if index > 0:
            if len(elements) > 1 and elements[0].low == 0:
                msg = "a group that begins with an optional part"
                raise NotLinearError(msg)
            elements[0] = replace(elements[0], joint=_simple(chain.joints[index - 1]))
        found += elements
    return found


def _simple(joint: Joint) -> Joint:
    """Between two elements single events may be absent."""
    if joint.absent and joint.kind != "," and all(isinstance(one, Leaf) for one in joint.absent):
        _plain(replace(joint, absent=()))
        return joint
    return _plain(joint)


def _plain(joint: Joint) -> Joint:
    if joint.absent or joint.absent_next or joint.wait is not None:
        msg = "an absence"
        raise NotLinearError(msg)
    return joint


def _of_iteration(node: Repeated) -> Element:
    if not isinstance(node.part, Leaf) or node.by is None or node.step is not None:
        msg = "an iteration of more than an atom"
        raise NotLinearError(msg)
    if max(node.low, node.high or 0) > MOST_REPETITIONS:
        msg = f"more than {MOST_REPETITIONS} repetitions"
        raise NotLinearError(msg)
    return Element(node.part, None, node.low, node.high, _plain(node.by), node.until)


def _guarded(node: Guard) -> list[Element]:
    elements = elements_of(node.part)
    if can_be_empty(node.part) or elements[-1].low == 0:
        msg = "a condition on an optional part"
        raise NotLinearError(msg)
    elements[-1] = replace(elements[-1], guards=(*elements[-1].guards, node.condition))
    return elements
