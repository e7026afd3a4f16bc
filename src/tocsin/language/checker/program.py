"""`check`: all rules, applied to a whole program."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from tocsin.errors import LanguageError
from tocsin.language.checker.aliases import report_ambiguous
from tocsin.language.checker.checked import Checked, Facts
from tocsin.language.checker.clauses import check_clauses
from tocsin.language.checker.conditions import meaning_of
from tocsin.language.checker.declarations import check_declarations, check_sources
from tocsin.language.checker.emit import check_declared, check_emit, merge_kinds
from tocsin.language.checker.expressions import fill_handlers
from tocsin.language.checker.fuzzy_sets import check_fuzzy_set
from tocsin.language.checker.order import order_of
from tocsin.language.checker.patterns import check_pattern
from tocsin.language.checker.problems import Problems, TooManyProblems
from tocsin.language.checker.scope import Names, Scope
from tocsin.language.checker.statements import statements_of
from tocsin.language.checker.streams import Streams
from tocsin.language.checker.structure import check_structure
from tocsin.language.parser import parse
from tocsin.language.printer import to_text
from tocsin.language.tokens import place_of
from tocsin.language.tree import Definition, FuzzySet, Program, Subscription
from tocsin.model.values import Kind

fill_handlers()
_PARAMETER: Final = re.compile(r"\{([^{}]+)\}")


def check(program: Program) -> Checked:
    """Check a program and return it with what was found out.

    Raises
    ------
    LanguageError
        Something is wrong; the error holds all problems, in the order of the text.

    Examples
    --------
    >>> checked = check(parse("SUBSCRIBE hot FROM rooms MATCH r:[temperature > 30]"))
    >>> checked.default_stream, checked.facts[0].sources
    ('rooms', ('rooms',))
    """
    problems = Problems(program.source)
    try:
        checked = _checked(program, problems)
    except TooManyProblems:
        checked = None
    except RecursionError:
        raise _too_deep(program) from None
    if problems.found and not program.source and program.statements:
        # Built without a text: print one, so that the problems have a place in it.
        return replace(check(parse(to_text(program))), program=program)
    problems.raise_errors()
    assert checked is not None, "only errors end a check early"
    return replace(checked, warnings=problems.warnings()) if problems.found else checked


def _too_deep(program: Program) -> LanguageError:
    line, column, text = place_of(program.source, 0)
    hint = "Name parts of it with DEFINE, or split it."
    return LanguageError("this program is nested too deeply to check", text, line, column, hint)


def _checked(program: Program, problems: Problems) -> Checked:
    statements = statements_of(program)
    check_declarations(statements, problems)
    definitions: dict[str, Definition] = {}
    for definition in statements.definitions:
        definitions.setdefault(definition.name, definition)
    streams = Streams(statements, definitions)
    names = Names(problems, streams, definitions, _by_name(statements.fuzzy_sets))
    subscriptions = statements.subscriptions
    order = order_of(subscriptions, streams, problems)
    facts = {index: _facts(subscriptions[index], names) for index in order}
    if statements.fuzzy_sets:
        known = streams.everything()
        for fuzzy_set in statements.fuzzy_sets:
            check_fuzzy_set(fuzzy_set, known, problems)
    _check_unused(names)
    return Checked(
        program=program,
        warnings=(),
        schemas=streams.schemas,
        derived={
            stream: tuple(subscriptions[index].name for index in feeders)
            for stream, feeders in streams.derived.items()
        },
        default_stream=streams.default,
        order=order,
        facts=tuple(facts[index] for index in range(len(subscriptions))),
    )


def _by_name(fuzzy_sets: list[FuzzySet]) -> dict[str, tuple[FuzzySet, ...]]:
    found: dict[str, list[FuzzySet]] = {}
    for fuzzy_set in fuzzy_sets:
        found.setdefault(fuzzy_set.name, []).append(fuzzy_set)
    return {name: tuple(several) for name, several in found.items()}


def _facts(subscription: Subscription, names: Names) -> Facts:
    """Check one subscription and return what is known about it."""
    problems, streams = names.problems, names.streams
    check_sources(subscription, streams, problems)
    check_structure(subscription.pattern, problems, subscription.within)
    sources = streams.sources_of(subscription)
    scope = Scope(names, streams.attributes(sources), subscription.pattern)
    check_pattern(subscription.pattern, scope)
    check_clauses(subscription, scope)
    emitted = check_emit(subscription, scope)
    if scope.twice and scope.name_uses:
        report_ambiguous(scope)
    if subscription.into is not None:
        _feed(subscription, emitted, scope)
    if "{" in subscription.name:
        scope.parameters.update(_PARAMETER.findall(subscription.name))
    return Facts(sources, scope.variables, emitted, tuple(sorted(scope.parameters)))


def _feed(subscription: Subscription, emitted: dict[str, Kind], scope: Scope) -> None:
    """Let the stream after INTO know what it gets."""
    streams, name = scope.names.streams, str(subscription.into)
    declared = streams.declared.get(name)
    if declared is not None:
        check_declared(subscription, emitted, declared, scope)
        return
    before = streams.schemas.get(name)
    kinds = emitted if before is None else merge_kinds(subscription, emitted, before.kinds, scope)
    streams.add_derived(name, kinds)


def _check_unused(names: Names) -> None:
    """A DEFINE that nothing uses is checked on any event."""
    used = {name for name, _ in names.meanings}
    for name in names.definitions:
        if name not in used:
            scope = Scope(names, names.streams.everything(), None)
            scope.current, scope.effects = scope.sources, []
            meaning_of(name, -1, scope)
