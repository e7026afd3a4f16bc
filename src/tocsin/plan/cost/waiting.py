"""Whether something other than a window ends the waiting for what follows."""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.language.tree import Absence, Atom, Expression, Link, Pattern
from tocsin.plan.cost.atoms import Atoms, closings, is_key, openings
from tocsin.plan.predicates.split import conjuncts


def is_ended(
    left: Pattern, link: Link, right: Pattern, atoms: Atoms, known: frozenset[str]
) -> bool:
    """Say whether what waits behind `left` ends by itself, while the stream goes on.

    `,` waits for one event. `->` ends with the first event that satisfies its condition: with one
    such event for all that wait where the condition looks at nothing else, and with the next event
    that could wait in its place where that satisfies the condition too, as in
    `a:[name = $n] ->{name = $n} b`. But an event for each `$n` may never come.
    """
    if link.kind == ";":
        return False
    if link.kind == ",":
        return True
    if link.condition is not None:
        return ends(conjuncts(link.condition), "", left, atoms, known)
    return any(ends_by_atom(atom, left, atoms, known) for atom in openings(right))


def is_ended_by_absence(
    absent: Iterable[Absence], left: Pattern, atoms: Atoms, known: frozenset[str]
) -> bool:
    """Say whether an absent atom that comes ends all that waits."""
    found = (one.pattern for one in absent if one.duration is None)
    return any(ends_by_atom(one, left, atoms, known) for one in found if isinstance(one, Atom))


def ends_by_atom(atom: Atom, left: Pattern, atoms: Atoms, known: frozenset[str]) -> bool:
    """Say whether the events of an atom end all that waits behind `left`."""
    leaf = atoms.leaf_of_atom[id(atom)]
    return ends(conjuncts(leaf.condition), leaf.alias, left, atoms, known)


def ends(
    parts: tuple[Expression, ...],
    own: str,
    left: Pattern,
    atoms: Atoms,
    known: frozenset[str],
) -> bool:
    """Say whether events with these conditions come for all that waits behind `left`."""
    others = [part for part in parts if atoms.needs_others(part, own, known)]
    if not others:
        return True
    if not all(is_key(part) for part in others):
        return False
    return all(set(parts) <= set(atoms.conditions(atom)) for atom in closings(left))
