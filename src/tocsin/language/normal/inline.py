"""`DEFINE` names are replaced by what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tocsin.language.tree import And, Attribute, Expression, Not, Or


def inline_definitions(condition: Expression, definitions: Mapping[str, Expression]) -> Expression:
    """Return a condition without DEFINE names; only whole conditions can be such names.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> low = parse_expression("price < 10")
    >>> inline_definitions(parse_expression("cheap"), {"cheap": low}) == low
    True
    """
    match condition:
        case Attribute(name) if name in definitions:
            return inline_definitions(definitions[name], definitions)
        case And(parts) | Or(parts):
            inlined = tuple(inline_definitions(part, definitions) for part in parts)
            return condition if inlined == parts else replace(condition, parts=inlined)
        case Not(operand):
            return replace(condition, operand=inline_definitions(operand, definitions))
        case _:
            return condition
