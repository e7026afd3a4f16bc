"""Aliases and variables where parts of a pattern meet."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from tocsin.language.checker.attributes import Attributes, either_kind, united
from tocsin.language.checker.kinds import comparable
from tocsin.language.checker.scope import Bound, Scope
from tocsin.language.checker.variables import report_two_kinds
from tocsin.language.checker.words import quoted
from tocsin.language.tree import Atom
from tocsin.model.values import Kind

Branch: TypeAlias = tuple[dict[str, Bound], dict[str, Kind], dict[str, Bound], dict[str, int]]

# Atoms without an alias are reported under such names.
_NUMBERED: Final = re.compile(r"_[0-9]+")


def bind_alias(alias: str, node: Atom, attributes: Attributes, scope: Scope) -> None:
    """Make an alias visible from here on, unless it is given twice."""
    is_name = node.alias is None
    bound = Bound(attributes, scope.loops, node.at, is_name=is_name)
    before = scope.taken.get(alias)
    if before is None:
        if alias[0] == "_" and not is_name and _NUMBERED.fullmatch(alias):
            what = f"the alias {quoted(alias)} is one that atoms without an alias get"
            scope.problems.error(node.at, what, "Choose another name.")
    elif before.is_name and is_name:
        scope.twice.add(alias)
    else:
        _report_twice(alias, node, before, scope)
    scope.taken[alias] = scope.aliases[alias] = bound


def _report_twice(alias: str, node: Atom, before: Bound, scope: Scope) -> None:
    line = scope.problems.line_of(before.at)
    what = f"the alias {quoted(alias)} is given twice"
    hint = f"It stands in line {line} already; only the branches of '|' may share an alias."
    scope.problems.error(node.at, what, hint)


def report_ambiguous(scope: Scope) -> None:
    """Note references to a DEFINE or stream that is an atom several times, without an alias."""
    for alias, at in scope.name_uses:
        if alias in scope.twice:
            what = f"{quoted(alias)} stands for several atoms of this pattern"
            hint = f"Give the one that is meant an alias, as in a:{alias}, and use that."
            scope.problems.error(at, what, hint)


def report_both_sides(
    variables: dict[str, Kind], absent: dict[str, int], outer: dict[str, Kind], scope: Scope
) -> None:
    """Compare one side of `&` with those before it: variables agree, absences have their own."""
    for name, kind in scope.variables.items():
        known = variables.get(name)
        if known is not None and not comparable(known, kind):
            report_two_kinds(name, kind, known, scope.bound_at.get(name, -1), scope)
        if name not in outer and name in absent:
            _report_absent_elsewhere(name, absent[name], scope)
    for name, at in scope.absent.items():
        if name in variables and name not in outer:
            _report_absent_elsewhere(name, at, scope)


def _report_absent_elsewhere(name: str, at: int, scope: Scope) -> None:
    what = f"${name} is used in an absence, but bound on the other side of '&'"
    hint = "Bind it on the same side before the absence, or use another variable inside it."
    scope.problems.error(at, what, hint)


def merge_branches(branches: list[Branch], scope: Scope) -> None:
    """Make what any branch of `|` binds visible behind all of them."""
    aliases: dict[str, Bound] = {}
    variables: dict[str, Kind] = {}
    taken: dict[str, Bound] = {}
    absent: dict[str, int] = {}
    for branch_aliases, branch_variables, branch_taken, branch_absent in branches:
        for alias, bound in branch_aliases.items():
            known = aliases.get(alias)
            aliases[alias] = bound if known is None else _either(known, bound)
        for name, kind in branch_variables.items():
            known_kind = variables.setdefault(name, kind)
            if not comparable(known_kind, kind):
                report_two_kinds(name, kind, known_kind, scope.bound_at.get(name, -1), scope)
            variables[name] = either_kind(known_kind, kind)
        taken.update(branch_taken)
        absent.update(branch_absent)
    scope.aliases, scope.variables = aliases, variables
    scope.taken, scope.absent = taken, absent


def _either(left: Bound, right: Bound) -> Bound:
    """An alias of several branches: repeated if it is repeated in one of them."""
    if left is right:
        return left
    loops = max(left.loops, right.loops, key=len)
    same = left.attributes is right.attributes
    attributes = left.attributes if same else united((left.attributes, right.attributes))
    return Bound(attributes, loops, left.at, is_name=left.is_name and right.is_name)
