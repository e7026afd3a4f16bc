"""From text to tree: a hand-written recursive descent over parallel token lists."""

from tocsin.language.parser.statements import parse, parse_expression, parse_pattern

__all__ = ["parse", "parse_expression", "parse_pattern"]
