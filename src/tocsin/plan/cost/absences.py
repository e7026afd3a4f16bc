"""What absences have to remember."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.tree import (
    Absence,
    Conjunction,
    Disjunction,
    Iteration,
    Limit,
    Pattern,
    Sequence,
    Span,
)
from tocsin.plan.cost import wording
from tocsin.plan.cost.atoms import Atoms
from tocsin.plan.cost.warnings import CostWarning


def leading_cost(node: Sequence, atoms: Atoms, limit: Limit | None) -> Iterator[CostWarning]:
    """Yield what the absences at the begin of a sequence cost: `!q ; r`, `!q FOR T ; p`.

    Of an atom it is enough to know when it was there last, for each value of its variables; any
    other part is sought among the events so far.
    """
    for part in node.parts:
        if not isinstance(part, Absence):
            return
        is_bounded = part.duration is not None and limit is not None and limit.unit == "time"
        if not atoms.is_simple(part.pattern) and not is_bounded:
            yield wording.looks_back(part.at)
            continue
        variables = tuple(sorted(atoms.variables(part.pattern)))
        if part.duration is None and variables:
            yield wording.remembers("that it has been there is remembered", "!", part.at, variables)


def silence_cost(node: Absence, atoms: Atoms) -> Iterator[CostWarning]:
    """Yield what `!q FOR T` costs as a whole pattern: a clock for each value of its variables.

    Where an event may belong to q or not, as other events decide, all of them are kept.
    """
    variables = tuple(sorted(atoms.variables(node.pattern)))
    if variables and not atoms.is_simple(node.pattern) and not takes_each(node.pattern, atoms):
        yield wording.looks_back(node.at)
    elif variables and node.every is not None:
        yield wording.remembers("a clock runs", "!", node.at, variables)


def takes_each(pattern: Pattern, atoms: Atoms) -> bool:
    """Say whether each event is taken for itself: no `->`, no condition, no count, no absence."""
    match pattern:
        case Sequence(parts, links):
            if any(link.kind == "->" for link in links):
                return False
            return all(takes_each(part, atoms) for part in parts)
        case Conjunction(parts) | Disjunction(parts):
            return all(takes_each(part, atoms) for part in parts)
        case Iteration(inner, _, _, by, until):
            return until is None and by.kind != "->" and takes_each(inner, atoms)
        case Span(inner):
            return takes_each(inner, atoms)
    return atoms.is_simple(pattern)
