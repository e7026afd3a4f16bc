"""Filters with parameters, filled in by column: one encoding for all the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns import cell_of, value_of
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index import limit_columns as limited
from tocsin.engine.index.layout import INTERVAL, OUTSIDE, head_of
from tocsin.engine.index.parameter_cells import Cells, Column, cells_of
from tocsin.errors import UnsupportedError
from tocsin.language.rewrite import rewrite
from tocsin.language.tree import (
    And,
    Attribute,
    Between,
    Comparison,
    Expression,
    Literal,
    Parameter,
)
from tocsin.language.variables import walk
from tocsin.plan.predicates import (
    Conjunction,
    Filter,
    Interval,
    SimpleLiteral,
    conjuncts,
    without_alternatives,
)

if TYPE_CHECKING:
    from tocsin.engine.index.predicate_index import PredicateIndex

_Source: TypeAlias = Parameter | Literal
_HOW: Final = {
    "=": limited.EQUAL,
    "!=": limited.EQUAL,
    "<": limited.HIGH,
    "<=": limited.HIGH_END,
    ">": limited.LOW,
    ">=": limited.LOW_END,
}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class NotByColumnError(UnsupportedError):
    """A condition cannot be filled in by column; fill it in row by row instead."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What limits an attribute in one literal: how, and by which value."""

    attribute: str
    outside: bool
    by: tuple[tuple[int, _Source], ...]


class FilterTemplate:
    """A condition on one event with parameters, added to an index for many rows at once.

    A filter that is added here has the number that `add_condition` gives it.

    Parameters
    ----------
    condition
        A static condition: a conjunction of comparisons of an attribute with parameters, and of
        parts without parameters that are no alternatives.

    Raises
    ------
    NotByColumnError
        The condition has another form; the message says where.

    Examples
    --------
    >>> from tocsin.engine.columns import Vocabulary
    >>> from tocsin.engine.index import PredicateIndex
    >>> from tocsin.language.parser import parse_expression
    >>> index = PredicateIndex(Vocabulary())
    >>> template = FilterTemplate(parse_expression("symbol = {s} AND price > {limit}"), index)
    >>> template.add({"s": ["ACME", "INIT", "ACME"], "limit": [10, 20.5, 10]}, 3).tolist()
    [0, 1, 0]
    """

    def __init__(self, condition: Expression, index: PredicateIndex) -> None:
        self._condition, self._index = condition, index
        self.parameters = _parameters_of(condition)
        changing = [part for part in conjuncts(condition) if _parameters_of(part)]
        steady = [part for part in conjuncts(condition) if not _parameters_of(part)]
        fixed = _fixed_filter(steady)
        self._never = not fixed
        bounds = [_bounds_of(part) for part in changing]
        self._bounds, self._fixed = _divided(bounds, fixed[0] if fixed else ())

    def add(self, columns: Mapping[str, Column], count: int) -> Int32Array:
        """Add the filter of each of `count` rows; return their numbers.

        Parameters
        ----------
        columns
            The values of each parameter, made to fit; a missing value compares with nothing.
        """
        if self._never:
            return self._index.add_often((), count)
        if not self._bounds:
            return self._index.add_often((self._fixed,), count)
        words = self._index.vocabulary
        cells = {name: cells_of(name, columns[name], words) for name in self.parameters}
        rows, status = self._encode(cells, count)
        numbers = np.zeros(count, np.int32)
        plain, never = status == limited.PLAIN, status == limited.NEVER
        numbers[plain] = self._index.add_alike(rows[:, plain], self._fixed)
        numbers[never] = self._index.add_often((), int(never.sum()))
        for row in np.flatnonzero(status == limited.BY_ROW).tolist():
            numbers[row] = self._index.add_condition(self._filled(cells, row))
        return numbers

    def _encode(
        self, cells: Mapping[str, Cells], count: int
    ) -> tuple[Int64Array, npt.NDArray[np.uint8]]:
        """Return the literals, bounds by bounds, and what becomes of each row."""
        rows = np.zeros((len(self._bounds), count, 3), np.int64)
        status = np.zeros(count, np.uint8)
        words = self._index.vocabulary
        for place, bounds in enumerate(self._bounds):
            limits = limited.no_limits(count)
            for how, source in bounds.by:
                if isinstance(source, Parameter):
                    kind, bits = cells[source.name]
                else:
                    cell = cell_of(source.value, words)
                    kind, bits = np.full(count, cell[0], np.uint8), np.full(count, cell[1])
                limited.meet(limits, how, kind, bits, status)
            flags = OUTSIDE if bounds.outside else 0
            head = head_of(INTERVAL, words.attribute(bounds.attribute), flags=flags)
            limited.write_literals(limits, head, rows[place], status)
        return rows, status

    def _filled(self, cells: Mapping[str, Cells], row: int) -> Expression:
        """Return the condition of one row."""

        def change(node: object) -> object:
            if not isinstance(node, Parameter):
                return None
            kind, bits = cells[node.name]
            return Literal(value_of(int(kind[row]), int(bits[row]), self._index.vocabulary))

        filled: Expression = rewrite(self._condition, change)
        return filled


def _parameters_of(node: object) -> tuple[str, ...]:
    found = (part.name for part in walk(node) if isinstance(part, Parameter))
    return tuple(dict.fromkeys(found))


def _fixed_filter(parts: list[Expression]) -> Filter:
    """Return what has no parameters as a filter of at most one conjunction."""
    found = without_alternatives(And(tuple(parts)))
    if found is None:
        msg = "a part without parameters has alternatives (OR)"
        raise NotByColumnError(msg)
    return found


def _bounds_of(part: Expression) -> _Bounds:
    """Return how a conjunct limits its attribute."""
    match part:
        case Comparison(operator, Attribute(name), Parameter() as source):
            return _Bounds(name, operator == "!=", ((_HOW[operator], source),))
        case Comparison(operator, Parameter() as source, Attribute(name)):
            turned = _TURNED.get(operator, operator)
            return _Bounds(name, operator == "!=", ((_HOW[turned], source),))
        case Between(
            Attribute(name), (Parameter() | Literal()) as low, (Parameter() | Literal()) as high
        ):
            both = (limited.LOW_END, low), (limited.HIGH_END, high)
            return _Bounds(name, part.negated, both)
    names = ", ".join(f"{{{name}}}" for name in _parameters_of(part))
    msg = f"{names} is compared with something else than one attribute"
    raise NotByColumnError(msg)


def _divided(bounds: list[_Bounds], fixed: Conjunction) -> tuple[tuple[_Bounds, ...], Conjunction]:
    """Let all that limits one attribute be one literal, as `simplify` does."""
    joined: dict[str, _Bounds] = {}
    for one in bounds:
        if not one.outside:
            known = joined.get(one.attribute, _Bounds(one.attribute, False, ()))
            joined[one.attribute] = replace(known, by=known.by + one.by)
    about = {one.attribute for one in bounds}
    rest: list[SimpleLiteral] = []
    for literal in fixed:
        if isinstance(literal, Interval) and literal.attribute in about and literal.negated:
            msg = f"a NOT and a parameter limit the attribute '{literal.attribute}' together"
            raise NotByColumnError(msg)
        if isinstance(literal, Interval) and literal.is_plain and literal.attribute in joined:
            known = joined[literal.attribute]
            joined[literal.attribute] = replace(known, by=known.by + _limits_of(literal))
        else:
            rest.append(literal)
    return (*joined.values(), *(one for one in bounds if one.outside)), tuple(rest)


def _limits_of(literal: Interval) -> tuple[tuple[int, _Source], ...]:
    if literal.is_equality:
        return ((limited.EQUAL, Literal(literal.low)),)
    low = limited.LOW if literal.low_open else limited.LOW_END
    high = limited.HIGH if literal.high_open else limited.HIGH_END
    pairs = (low, literal.low), (high, literal.high)
    return tuple((how, Literal(value)) for how, value in pairs if value is not None)
