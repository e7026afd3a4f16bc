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
from tocsin.model.values import Kind


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
    "trapezoid": Shape(("begin", "full_from", "full_until", "end"), grows=True),
    "triangle": Shape(("begin", "peak", "end"), grows=True),
    "left": Shape(("full_until", "end"), grows=True),
    "right": Shape(("begin", "full_from"), grows=True),
    "bell": Shape(("center", "width", "slope"), positive=("width", "slope")),
    "gaussian": Shape(("center", "deviation"), positive=("deviation",)),
    "sigmoid": Shape(("center", "slope"), nonzero=("slope",)),
}


def check_fuzzy_set(node: FuzzySet, known: Attributes, problems: Problems) -> None:
    """Check one FUZZY statement."""
    _check_attribute(node, known, problems)
    wrong = _wrong_shape(node) or _wrong_numbers(node)
    if wrong is not None:
        problems.error(problems.locator.after(node.at, "AS"), *wrong)


def _check_attribute(node: FuzzySet, known: Attributes, problems: Problems) -> None:
    kind = known.kinds.get(node.attribute)
    if kind is None:
        if not known.is_open:
            at = problems.locator.after(node.at, "ON")
            what = f"unknown attribute {quoted(node.attribute)} in {known.where()}"
            hint = sentence(did_you_mean(node.attribute, known.kinds), known.listing())
            problems.error(at, what, hint)
    elif kind is not Kind.UNKNOWN and not kind.is_number:
        at = problems.locator.after(node.at, "ON")
        what = f"a fuzzy term describes a number, and {quoted(node.attribute)} is {word_for(kind)}"
        problems.error(at, what, "Name an attribute of type INTEGER or FLOAT.")


def _wrong_shape(node: FuzzySet) -> tuple[str, str] | None:
    """Return what is wrong with the shape and what to do, or None."""
    shape = SHAPES.get(node.shape)
    if shape is None:
        forms = ", ".join(one.form(name) for name, one in SHAPES.items())
        hint = sentence(did_you_mean(node.shape, SHAPES), f"The shapes are {forms}.")
        return f"unknown shape {quoted(node.shape)}", hint
    count, wanted = len(node.parameters), len(shape.parameters)
    if count != wanted:
        what = f"{node.shape} takes {wanted} numbers, not {count}"
        return what, f"Write {shape.form(node.shape)}."
    return None


def _wrong_numbers(node: FuzzySet) -> tuple[str, str] | None:
    shape = SHAPES[node.shape]
    form = f"Write {shape.form(node.shape)}"
    if shape.grows:
        return _wrong_corners(node, form)
    for name, number in zip(shape.parameters, node.parameters, strict=True):
        if not math.isfinite(number):
            return f"the {name} of {node.shape} cannot be infinite", f"{form}."
        if (name in shape.positive and number <= 0) or (name in shape.nonzero and number == 0):
            wanted = "more than 0" if name in shape.positive else "other than 0"
            return f"the {name} of {node.shape} is {number:g}, and must be {wanted}", f"{form}."
    return None


def _wrong_corners(node: FuzzySet, form: str) -> tuple[str, str] | None:
    numbers = node.parameters
    for before, after in itertools.pairwise(numbers):
        if before > after:
            what = f"the numbers of {node.shape} must not fall: {before:g} stands before {after:g}"
            return what, f"{form}, from the smallest to the largest."
    if node.shape == "trapezoid":
        first, second, third, fourth = map(math.isinf, numbers)
        if (first, fourth) != (second, third) or numbers[0] == math.inf or numbers[3] == -math.inf:
            what = "a slope of this trapezoid would be infinitely long"
            return what, "An open side has two infinite corners: trapezoid(-inf, -inf, 10, 20)."
    elif any(map(math.isinf, numbers)):
        what = f"the corners of {node.shape} cannot be infinite"
        hint = "Use trapezoid(-inf, -inf, 10, 20), left(10, 20) or right(10, 20) for an open side."
        return what, hint
    return None
