"""Small stack programs for conditions that are more than an attribute against a constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from tocsin.errors import UnsupportedError
from tocsin.language.tree import (
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    Expression,
    InCidr,
    InList,
    Literal,
    Negative,
    Not,
    Or,
    Presence,
    TextMatch,
)
from tocsin.model.values import Value
from tocsin.plan.predicates.text_tests import TextTest


@dataclass(frozen=True, slots=True)
class Constant:
    """A value; 1, 1.0 and TRUE are different ones."""

    value: Value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constant):
            return NotImplemented
        return type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class PairTest:
    """A text operator whose pattern is no constant: two strings decide."""

    operator: str
    outside: bool
    text: Program
    pattern: Program

    def holds(self, text: str, pattern: str) -> bool:
        """Say whether the test holds of two strings."""
        return TextTest(self.operator, (pattern,), self.outside).holds(text)


Argument: TypeAlias = None | str | int | Constant | TextTest | PairTest


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction; it takes what it needs from the stack and leaves its result there."""

    operation: str
    argument: Argument = None


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of an expression in the order in which they run."""

    steps: tuple[Step, ...]

    @property
    def depth(self) -> int:
        """How many values lie on the stack at most."""
        height = highest = 0
        for step in self.steps:
            height += 1 - takes(step)
            highest = max(highest, height)
        return highest


_UNARY: Final = frozenset({"negative", "abs", "lower", "upper", "length", "not", "is true"})
_NONE: Final = frozenset({"attribute", "constant", "pair"})


def takes(step: Step) -> int:
    """Return how many values a step takes from the stack."""
    if step.operation in _NONE:
        return 0
    if step.operation in _UNARY or step.operation in {"present", "missing", "text"}:
        return 1
    if step.operation in {"min", "max"}:
        assert isinstance(step.argument, int)
        return step.argument
    return 3 if step.operation in {"between", "not between"} else 2


def compile_condition(condition: Expression) -> Program:
    """Return the program of a condition; it leaves a boolean.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> [step.operation for step in compile_condition(parse_expression("a + b > 1")).steps]
    ['attribute', 'attribute', '+', 'constant', '>']
    """
    return Program(_condition(condition))


def compile_value(expression: Expression) -> Program:
    """Return the program of a value."""
    return Program(_value(expression))


def _condition(condition: Expression) -> tuple[Step, ...]:
    match condition:
        case And(parts):
            return _joined("and", tuple(_condition(part) for part in parts))
        case Or(parts):
            return _joined("or", tuple(_condition(part) for part in parts))
        case Not(operand):
            return (*_condition(operand), Step("not"))
        case Comparison(operator, left, right):
            return (*_value(left), *_value(right), Step(operator))
        case Between(operand, low, high, negated):
            operation = "not between" if negated else "between"
            return (*_value(operand), *_value(low), *_value(high), Step(operation))
        case InList(operand, choices, negated):
            return _choices(operand, choices, negated)
        case Presence(operand, present):
            return (*_value(operand), Step("present" if present else "missing"))
        case TextMatch(operator, operand, pattern, negated):
            return _text(operator, operand, pattern, negated)
        case InCidr(operand, network, negated):
            return _text("CIDR", operand, network, negated)
        case _:
            return (*_value(condition), Step("is true"))


def _joined(operation: str, parts: tuple[tuple[Step, ...], ...]) -> tuple[Step, ...]:
    steps = parts[0]
    for part in parts[1:]:
        steps = (*steps, *part, Step(operation))
    return steps


def _choices(
    operand: Expression, choices: tuple[Expression, ...], negated: bool
) -> tuple[Step, ...]:
    if not choices:
        return (Step("constant", Constant(negated)),)
    compare = Step("!=" if negated else "=")
    parts = tuple((*_value(operand), *_value(choice), compare) for choice in choices)
    return _joined("and" if negated else "or", parts)


def _text(
    operator: str, operand: Expression, pattern: Expression, negated: bool
) -> tuple[Step, ...]:
    if isinstance(pattern, Literal):
        if not isinstance(pattern.value, str):
            return (Step("constant", Constant(False)),)
        return (*_value(operand), Step("text", TextTest(operator, (pattern.value,), negated)))
    test = PairTest(operator, negated, compile_value(operand), compile_value(pattern))
    return (Step("pair", test),)


def _value(expression: Expression) -> tuple[Step, ...]:
    match expression:
        case Literal(value):
            return (Step("constant", Constant(value)),)
        case Attribute(name):
            return (Step("attribute", name),)
        case Call(("min" | "max") as function, arguments):
            return (*_all(arguments), Step(function, len(arguments)))
        case Call(function, arguments):
            return (*_all(arguments), Step(function))
        case Negative(operand):
            return (*_value(operand), Step("negative"))
        case Arithmetic(operator, left, right):
            return (*_value(left), *_value(right), Step(operator))
        case (
            And() | Or() | Not() | Comparison() | Between() | InList() | Presence() | TextMatch()
            | InCidr()
        ):  # fmt: skip
            return _condition(expression)
        case _:
            msg = f"a {type(expression).__name__} does not run in the index of filters"
            raise UnsupportedError(msg)


def _all(expressions: tuple[Expression, ...]) -> tuple[Step, ...]:
    return tuple(step for expression in expressions for step in _value(expression))
