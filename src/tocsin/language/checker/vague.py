"""Vague predicates: `rent IS very cheap POSSIBLY 0.6`."""

from __future__ import annotations

from tocsin.language.checker.dispatch import HANDLERS
from tocsin.language.checker.kinds import BOOLEAN, UNKNOWN
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.words import listed, quoted, sentence, shown, word_for
from tocsin.language.suggest import nearest
from tocsin.language.tokens import quote_name, quote_string
from tocsin.language.tree import Attribute, Expression, FuzzySet, OfEvent, Thresholds, Vague
from tocsin.model.values import Kind


def vague(node: Vague, scope: Scope) -> Kind:
    """Check a vague predicate: its term, the attribute it is about, its thresholds."""
    kind = HANDLERS[type(node.operand)](node.operand, scope)
    sets = scope.names.fuzzy_sets.get(node.term)
    if sets is None:
        _report_unknown_term(node, scope)
    elif kind is not UNKNOWN and not kind.is_number:
        what = f"a fuzzy term describes a number, and {shown(node.operand)} is {word_for(kind)}"
        scope.problems.error(node.at, what, "Use = or IN for this attribute.")
    else:
        _check_attribute(node, sets, scope)
    if node.thresholds is not None:
        check_thresholds(node.thresholds, scope)
    return BOOLEAN


def _report_unknown_term(node: Vague, scope: Scope) -> None:
    at = scope.problems.locator.name(node.at, node.term)
    what = f"unknown fuzzy term {quoted(node.term)}"
    scope.problems.error(at, what, _hint_for_term(node, scope))


def _hint_for_term(node: Vague, scope: Scope) -> str:
    near = nearest(node.term, ["PRESENT", "MISSING", *scope.names.fuzzy_sets])
    if near in {"PRESENT", "MISSING"}:
        return f"Did you mean IS {near}?"
    if near is not None:
        return f"Did you mean '{near}'?"
    name = quote_name(node.term)
    subject = quote_name(_attribute_name(node.operand) or "attribute")
    return sentence(
        f"Define it: FUZZY {name} ON {subject} AS trapezoid(…);",
        f"or write = {quote_string(node.term)} to compare with a string.",
    )


def _attribute_name(node: Expression) -> str | None:
    if isinstance(node, Attribute):
        return node.name
    return node.attribute if isinstance(node, OfEvent) else None


def _check_attribute(node: Vague, sets: tuple[FuzzySet, ...], scope: Scope) -> None:
    subjects = [fuzzy_set.attribute for fuzzy_set in sets]
    name = _attribute_name(node.operand)
    if name in subjects or (name is None and len(sets) == 1):
        return
    at = scope.problems.locator.name(node.at, node.term)
    if name is None:
        what = (
            f"{quoted(node.term)} is a term of several attributes: {listed(map(quoted, subjects))}"
        )
        scope.problems.error(at, what, "Use it on one of them, not on a computed value.")
        return
    what = (
        f"{quoted(node.term)} is a term of {listed(map(quoted, subjects))}, not of {quoted(name)}"
    )
    term, subject = quote_name(node.term), quote_name(name)
    hint = f"Define it for this attribute too: FUZZY {term} ON {subject} AS trapezoid(…);"
    scope.problems.error(at, what, hint)


def check_thresholds(node: Thresholds, scope: Scope) -> None:
    """Check that degrees lie between 0 and 1."""
    for word, degree in (("POSSIBLY", node.possibly), ("NECESSARILY", node.necessarily)):
        if degree is not None and not 0 <= degree <= 1:
            at = scope.problems.locator.after(node.at, word)
            what = f"{word} {degree:g} is not between 0 and 1"
            scope.problems.error(at, what, _hint_for_share(degree))


def _hint_for_share(degree: float) -> str:
    if 2 <= degree <= 100:
        return f"Write {degree / 100:g} for {degree:g} %."
    return "A degree goes from 0 (not at all) to 1 (fully)."
