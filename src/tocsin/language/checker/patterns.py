"""Patterns: which aliases and variables are visible where, from left to right."""

from __future__ import annotations

from typing import Any, Final

from tocsin.language.checker.aliases import bind_alias, merge_branches, report_both_sides
from tocsin.language.checker.atoms import refuse_both, stream_of_atom, stream_of_name
from tocsin.language.checker.conditions import condition, filter_condition, use_definition
from tocsin.language.checker.first_repetition import warn_of_first_repetition
from tocsin.language.checker.kinds import comparable
from tocsin.language.checker.repeat import check_step
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.variables import report_two_kinds
from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Conjunction,
    Disjunction,
    Expression,
    Iteration,
    Limit,
    Nth,
    Parameter,
    Pattern,
    Repeat,
    Sequence,
    Span,
)
from tocsin.model.values import Kind


def check_pattern(pattern: Pattern, scope: Scope) -> None:
    """Check the names and types of a whole pattern, and leave what it binds in the scope."""
    if isinstance(pattern, Absence):
        _note_parameters(pattern, scope)
        _walk(pattern.pattern, scope)
        scope.aliases, scope.is_silent = {}, True
    else:
        _walk(pattern, scope)


def _walk(node: Pattern, scope: Scope) -> None:
    _VISITS[type(node)](node, scope)


def _atom(node: Atom, scope: Scope) -> None:
    alias = node.alias
    attributes = scope.sources
    if node.name is not None:
        alias = alias or node.name
        if node.name in scope.names.definitions:
            refuse_both(node, scope)
            scope.current = attributes
            use_definition(node.name, node.at, scope, binding=True)
            scope.current = None
        else:
            attributes = stream_of_name(node, scope)
    else:
        if node.stream is not None:
            attributes = stream_of_atom(node, scope)
        if node.condition is not None:
            scope.current, scope.own = attributes, alias
            filter_condition(node.condition, scope)
            scope.current = scope.own = None
            if scope.loops:
                warn_of_first_repetition(node, scope)
    if alias is not None:
        bind_alias(alias, node, attributes, scope)


def _sequence(node: Sequence, scope: Scope) -> None:
    leading: dict[str, tuple[Kind, int]] = {}
    has_begun = False
    for index, part in enumerate(node.parts):
        if index and node.links[index - 1].condition is not None:
            _on_event(node.links[index - 1].condition, scope)
        part_type = type(part)
        if part_type is Absence:
            local = _absence(part, scope)  # type: ignore[arg-type]
            if has_begun:
                scope.absent.update((name, at) for name, (_, at) in local.items())
            else:
                leading.update(local)
            continue
        _VISITS[part_type](part, scope)
        if leading:
            _join_leading(leading, scope)
            leading = {}
        has_begun = True


def _absence(node: Absence, scope: Scope) -> dict[str, tuple[Kind, int]]:
    """Check what is absent; return the variables that only it has, with kind and place."""
    _note_parameters(node, scope)
    aliases, variables, absent = scope.aliases, scope.variables, scope.absent
    bound_at = scope.bound_at
    scope.aliases, scope.variables, scope.absent = dict(aliases), dict(variables), {}
    scope.bound_at = dict(bound_at)
    _walk(node.pattern, scope)
    local = {
        name: (kind, scope.bound_at.get(name, node.at))
        for name, kind in scope.variables.items()
        if name not in variables
    }
    scope.aliases, scope.variables, scope.absent = aliases, variables, absent
    scope.bound_at = bound_at
    return local


def _join_leading(leading: dict[str, tuple[Kind, int]], scope: Scope) -> None:
    """A leading absence agrees with the variables of the part that follows it directly."""
    for name, (kind, at) in leading.items():
        known = scope.variables.get(name)
        if known is None:
            scope.absent[name] = at
        elif not comparable(known, kind):
            report_two_kinds(name, kind, known, at, scope)


def _iteration(node: Iteration, scope: Scope) -> None:
    if node.high == 1:
        _walk(node.pattern, scope)
    else:
        _in_loop(node, scope)
    if node.by.condition is not None:
        _on_event(node.by.condition, scope)
    if node.until is not None:
        _on_event(node.until, scope)


def _in_loop(node: Iteration | Repeat, scope: Scope) -> None:
    loops, nodes = scope.loops, scope.loop_nodes
    scope.loop_count += 1
    scope.loops, scope.loop_nodes = (*loops, scope.loop_count), (*nodes, node)
    _walk(node.pattern, scope)
    scope.loops, scope.loop_nodes = loops, nodes


def _on_event(node: Expression | None, scope: Scope) -> None:
    """Check a condition on a coming event that binds nothing: `->{…}`, UNTIL."""
    if node is not None:
        scope.current = scope.sources
        condition(node, scope)
        scope.current = None


def _guarded(node: Condition, scope: Scope) -> None:
    _walk(node.pattern, scope)
    condition(node.condition, scope)


def _span(node: Span, scope: Scope) -> None:
    _walk(node.pattern, scope)
    note_limit(node.limit, scope)


def note_limit(limit: Limit, scope: Scope) -> None:
    """Note the parameter of a window."""
    if isinstance(limit.amount, Parameter):
        scope.parameters.add(limit.amount.name)


def _note_parameters(node: Absence, scope: Scope) -> None:
    for duration in (node.duration, node.every):
        if isinstance(duration, Parameter):
            scope.parameters.add(duration.name)


def _inner(node: Nth, scope: Scope) -> None:
    _walk(node.pattern, scope)


def _repeat(node: Repeat, scope: Scope) -> None:
    _in_loop(node, scope)
    check_step(node, scope)
    if node.by is not None and node.by.condition is not None:
        _on_event(node.by.condition, scope)


def _conjunction(node: Conjunction, scope: Scope) -> None:
    aliases, variables, absent = scope.aliases, scope.variables, scope.absent
    all_aliases, all_variables, all_absent = dict(aliases), dict(variables), dict(absent)
    for part in node.parts:
        scope.aliases, scope.variables = dict(aliases), dict(variables)
        scope.absent = dict(absent)
        _walk(part, scope)
        report_both_sides(all_variables, all_absent, variables, scope)
        all_aliases.update(scope.aliases)
        all_variables.update(scope.variables)
        all_absent.update(scope.absent)
    scope.aliases, scope.variables, scope.absent = all_aliases, all_variables, all_absent


def _disjunction(node: Disjunction, scope: Scope) -> None:
    aliases, variables, taken = scope.aliases, scope.variables, scope.taken
    absent = scope.absent
    branches = []
    for part in node.parts:
        scope.aliases, scope.variables = dict(aliases), dict(variables)
        scope.taken, scope.absent = dict(taken), dict(absent)
        _walk(part, scope)
        branches.append((scope.aliases, scope.variables, scope.taken, scope.absent))
    merge_branches(branches, scope)


_VISITS: Final[dict[type, Any]] = {
    Atom: _atom,
    Absence: _absence,
    Sequence: _sequence,
    Iteration: _iteration,
    Condition: _guarded,
    Span: _span,
    Nth: _inner,
    Repeat: _repeat,
    Conjunction: _conjunction,
    Disjunction: _disjunction,
}
