"""FUZZY statements: known shapes, as many numbers as they need, in their order."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Final

from tocsin.language.checker.attributes import Attributes
from tocsin.language.checker.problems import Problems
from tocsin.language.checker.words import quoted, sentence, word_for
from tocsin.language.suggest import did_you_mean
from tocsin.language.tree import FuzzySet


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters of a shape, and which of them grow, are positive, may be infinite."""

    parameters: tuple[str, ...]
    grows: bool = False
    positive: tuple[str, ...] = ()
    nonzero: tuple[str, ...] = ()

    def form(self, name: str) -> str:
        """Return how it is written."""
        return f"{name}({', '.join(self.parameters)})"


SHAPES: Final[dict[str, Shape]] = {
    "trapezoid": Shape(("zero", "one", "one_until", "zero_from"), grows=True),
    "triangle": Shape(("zero", "one", "zero_from"), grows=True),
    "left": Shape(("one_until", "zero_from"), grows=True),
    "right": Shape(("zero", "one"), grows=True),
    "bell": Shape(("center", "width", "slope"), positive=("width", "slope")),
    "gaussian": Shape(("center", "deviation"), positive=("deviation",)),
    "sigmoid": Shape(("center", "slope"), nonzero=("slope",)),
}


def check_fuzzy_set(node: FuzzySet, known: Attributes, problems: Problems) -> None:
    """Check one FUZZY statement."""
    _check_attribute(node, known, problems)
    shape = SHAPES.get(node.shape)
    at = problems.locator.after(node.at, "AS")
    if shape is None:
        forms = ", ".join(one.form(name) for name, one in SHAPES.items())
        hint = sentence(did_you_mean(node.shape, SHAPES), f"The shapes are {forms}.")
        problems.error(at, f"unknown shape {quoted(node.shape)}", hint)
    elif len(node.parameters) != len(shape.parameters):
        count, wanted = len(node.parameters), len(shape.parameters)
        what = f"{node.shape} takes {wanted} numbers, not {count}"
        problems.error(at, what, f"Write {shape.form(node.shape)}.")
    else:
        _check_numbers(node, shape, at, problems)


def _check_attribute(node: FuzzySet, known: Attributes, problems: Problems) -> None:
    kind = known.kinds.get(node.attribute)
    if kind is None:
        if not known.is_open:
            at = problems.locator.after(node.at, "ON")
            what = f"unknown attribute {quoted(node.attribute)} in {known.where()}"
            hint = sentence(did_you_mean(node.attribute, known.kinds), known.listing())
            problems.error(at, what, hint)
    elif kind.value != "UNKNOWN" and not kind.is_number:
        at = problems.locator.after(node.at, "ON")
        what = f"a fuzzy term describes a number, and {quoted(node.attribute)} is {word_for(kind)}"
        problems.error(at, what, "Name an attribute of type INTEGER or FLOAT.")


def _check_numbers(node: FuzzySet, shape: Shape, at: int, problems: Problems) -> None:
    given = dict(zip(shape.parameters, node.parameters, strict=True))
    form = f"Write {shape.form(node.shape)}"
    if shape.grows:
        _check_growing(node, form, at, problems)
        return
    for name, number in given.items():
        if not math.isfinite(number):
            problems.error(at, f"the {name} of {node.shape} cannot be infinite", f"{form}.")
        elif (name in shape.positive and number <= 0) or (name in shape.nonzero and number == 0):
            wanted = "more than 0" if name in shape.positive else "other than 0"
            what = f"the {name} of {node.shape} is {number:g}, and must be {wanted}"
            problems.error(at, what, f"{form}.")


def _check_growing(node: FuzzySet, form: str, at: int, problems: Problems) -> None:
    numbers = node.parameters
    for before, after in itertools.pairwise(numbers):
        if before > after:
            what = f"the numbers of {node.shape} must not fall: {before:g} stands before {after:g}"
            problems.error(at, what, f"{form}, from the smallest to the largest.")
            return
    if node.shape == "trapezoid":
        first, second, third, fourth = numbers
        sloping = (math.isinf(first), math.isinf(fourth)) != (math.isinf(second), math.isinf(third))
        if sloping or first == math.inf or fourth == -math.inf:
            what = "a slope of this trapezoid would be infinitely long"
            hint = "An open side has two infinite corners: trapezoid(-inf, -inf, 10, 20)."
            problems.error(at, what, hint)
    elif any(math.isinf(number) for number in numbers):
        what = f"the corners of {node.shape} cannot be infinite"
        hint = "Use trapezoid(-inf, -inf, 10, 20), left(10, 20) or right(10, 20) for an open side."
        problems.error(at, what, hint)
