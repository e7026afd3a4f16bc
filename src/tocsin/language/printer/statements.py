"""Statements: clause keywords at line starts, their values aligned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

from tocsin.language.printer.expressions import expression_doc, thresholds_text
from tocsin.language.printer.layout import Chain, Doc, chain, listed, render
from tocsin.language.printer.literals import (
    limit_text,
    literal_text,
    number_text,
    parameter_text,
    subscription_name_text,
)
from tocsin.language.printer.patterns import pattern_doc
from tocsin.language.tokens import quote_name
from tocsin.language.tree import (
    AttributeDeclaration,
    Combine,
    Definition,
    EmitItem,
    FuzzySet,
    MatchLimit,
    Parameter,
    Predict,
    Program,
    Since,
    Statement,
    StreamDeclaration,
    Subscription,
)

_T = TypeVar("_T")
_KEYWORD_WIDTH: Final = len("PREDICT ")


def statement_text(statement: Statement) -> str:
    """Return a statement with its `;`."""
    return "\n".join(map(render, statement_docs(statement)))


def statement_docs(statement: Statement) -> list[Doc]:
    """Return the docs of a statement, each of which begins a line; the last ends with `;`."""
    return _FORMS[type(statement)](statement)


def program_text(program: Program) -> str:
    """Return all statements, apart by a blank line where `apart` says so."""
    lines: list[str] = []
    for place, statement in enumerate(program.statements):
        if place and apart(program.statements[place - 1], statement):
            lines.append("")
        lines.append(statement_text(statement))
    return "\n".join(lines)


def apart(one: Statement, other: Statement) -> bool:
    """Say whether a blank line stands between: where kinds change, and around subscriptions."""
    return type(one) is not type(other) or isinstance(one, Subscription)


def clauses_of(subscription: Subscription) -> list[tuple[str, Doc]]:
    """Return the clauses behind FROM, each with its keyword, in the order of printing."""
    found = subscription
    clauses: list[tuple[str, Doc | None]] = [
        ("MATCH", pattern_doc(found.pattern)),
        ("WHERE", None if found.where is None else expression_doc(found.where)),
        ("WITHIN", _maybe(found.within, limit_text)),
        ("DUPLICATES", None if found.duplicates == "ALL" else found.duplicates),
        ("PAIRS", None if found.pairs == "ALL" else found.pairs),
        ("LIMIT", _maybe(found.limit, match_limit_text)),
        ("ACCEPT", _maybe(found.accept, thresholds_text)),
        ("COMBINE", _maybe(found.combine, combine_text)),
        ("EMIT", _emit(found) if found.emit else None),
        ("PREDICT", _maybe(found.predict, predict_text)),
        ("SINCE", _maybe(found.since, since_text)),
    ]
    return [(keyword, doc) for keyword, doc in clauses if doc is not None]


def _maybe(part: _T | None, doc_of: Callable[[_T], Doc]) -> Doc | None:
    return None if part is None else doc_of(part)


def head_text(subscription: Subscription) -> str:
    """Return the first line of a subscription: its name and where it reads."""
    head = f"SUBSCRIBE {subscription_name_text(subscription.name)}"
    sources = ", ".join(map(quote_name, subscription.sources))
    return f"{head} FROM {sources}" if sources else head


def clause_doc(keyword: str, doc: Doc) -> Doc:
    """Return a clause, its value in the column of all values."""
    begin = f"{keyword} ".ljust(_KEYWORD_WIDTH)
    found = chain(begin, doc)
    return replace(found, base=len(begin)) if isinstance(found, Chain) else found


def clause_text(keyword: str, doc: Doc, *, behind: int = 0) -> str:
    """Return the text of a clause."""
    return render(clause_doc(keyword, doc), behind=behind)


def match_limit_text(limit: MatchLimit) -> str:
    """Return `3 PER $x`."""
    counted = limit.count
    count = parameter_text(counted) if isinstance(counted, Parameter) else str(counted)
    return count if limit.per is None else f"{count} PER ${limit.per}"


def combine_text(combine: Combine) -> str:
    """Return `WITH weighted(0.3, 0.7)`."""
    weights = ", ".join(map(number_text, combine.weights))
    return f"WITH {combine.method}({weights})" if weights else f"WITH {combine.method}"


def predict_text(predict: Predict) -> str:
    """Return `WITHIN 20 EVENTS ABOVE 0.8`."""
    return f"WITHIN {limit_text(predict.horizon)} ABOVE {number_text(predict.threshold)}"


def since_text(since: Since) -> str:
    """Return `BEGINNING` or a moment, and whether only new matches count."""
    moment = "BEGINNING" if since.moment is None else literal_text(since.moment)
    return f"{moment} ONLY NEW" if since.only_new else moment


def emit_item_doc(item: EmitItem) -> Doc:
    """Return `$x AS ip`."""
    doc = expression_doc(item.expression)
    return doc if item.name is None else chain(doc, f" AS {quote_name(item.name)}")


def attribute_text(declaration: AttributeDeclaration) -> str:
    """Return `ip STRING`."""
    return f"{quote_name(declaration.name)} {declaration.kind.value}"


def _emit(subscription: Subscription) -> Doc:
    items = listed(tuple(map(emit_item_doc, subscription.emit)))
    if subscription.into is None:
        return items
    return chain(items, f" INTO {quote_name(subscription.into)}")


def _subscription(node: Subscription) -> list[Doc]:
    *clauses, (keyword, doc) = clauses_of(node)
    before = [clause_doc(*clause) for clause in clauses]
    return [head_text(node), *before, clause_doc(keyword, chain(doc, ";"))]


def _stream(node: StreamDeclaration) -> list[Doc]:
    begin = f"STREAM {quote_name(node.name)} ("
    attributes = listed(tuple(map(attribute_text, node.attributes)))
    end = ");" if node.time is None else f") TIME {quote_name(node.time)};"
    return [chain(begin, attributes, end)]


def _definition(node: Definition) -> list[Doc]:
    begin = f"DEFINE {quote_name(node.name)} AS "
    return [chain(begin, expression_doc(node.condition), ";")]


def _fuzzy_set(node: FuzzySet) -> list[Doc]:
    name, attribute, shape = map(quote_name, (node.name, node.attribute, node.shape))
    parameters = ", ".join(map(number_text, node.parameters))
    return [f"FUZZY {name} ON {attribute} AS {shape}({parameters});"]


_FORMS: Final[dict[type, Callable[[Any], list[Doc]]]] = {
    Subscription: _subscription,
    StreamDeclaration: _stream,
    Definition: _definition,
    FuzzySet: _fuzzy_set,
}
