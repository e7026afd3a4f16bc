"""Patterns whose events all have one key, and which of their atoms need something before them.

Where every atom asks for `attribute = $x` with the same variable, a match has one value of it. An
event that opens nothing then concerns only what has begun with its own value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tocsin.engine.machines.interests import Interest, interest_of
from tocsin.engine.machines.leaf import conjuncts_of
from tocsin.language.normal import (
    Both,
    Chain,
    Counted,
    Joint,
    Leaf,
    Normal,
    Repeated,
    Silence,
    openings,
)
from tocsin.language.tree import Attribute, Comparison, Variable
from tocsin.language.variables import walk
from tocsin.plan.partition.shape import leads_of


class Role(NamedTuple):
    """What an atom asks of an event: a filter, the attribute that has the key, and a beginning.

    `needs_left` says that an event can be nothing here before something has begun with its key.
    """

    interest: Interest
    attribute: str
    needs_left: bool


class Keyed(NamedTuple):
    """A variable that has the key in all that has begun, and the roles of all atoms."""

    variable: str
    roles: tuple[Role, ...]


def keyed_form(pattern: Normal) -> Keyed | None:
    """Return the roles of a pattern; None where events of different keys may have to do.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE s MATCH a:[k = 1 AND x = $x] ; !b:[k = 2 AND y = $x] FOR 1 s")
    >>> (one,) = LiveProgram(program).normal(program.subscriptions)
    >>> form = keyed_form(one.pattern)
    >>> form.variable, [(role.attribute, role.needs_left) for role in form.roles]
    ('x', [('x', False), ('y', True)])
    """
    if not all(map(_is_simple, walk(pattern))):
        return None
    leaves = [node for node in walk(pattern) if isinstance(node, Leaf)]
    attributes = [_joined(leaf) for leaf in leaves]
    common = [name for name in attributes[0] if all(name in one for one in attributes)]
    if not common:
        return None
    opening = {leaf.number for leaf in openings(pattern)} | set(_leading(pattern))
    roles = (
        Role(interest_of(leaf), own[common[0]], leaf.number not in opening)
        for leaf, own in zip(leaves, attributes, strict=True)
    )
    return Keyed(common[0], tuple(roles))


def _is_simple(node: object) -> bool:
    """Say whether no event matters here but those that atoms take, and all state tells its key."""
    match node:
        case Silence() | Both() | Counted():
            return False
        case Joint():
            return node.kind != "," and node.condition is None and not node.absent_next
        case Repeated():
            return node.by is not None and node.until is None and node.step is None
    return True


def _joined(leaf: Leaf) -> dict[str, str]:
    """Return the variables that an atom joins with an attribute of its event, with these."""
    found: dict[str, str] = {}
    for one in conjuncts_of(leaf.condition):
        match one:
            case Comparison("=", Attribute(name), Variable(variable)) | Comparison(
                "=", Variable(variable), Attribute(name)
            ):
                found.setdefault(variable, name)
    return found


def _leading(pattern: Normal) -> Iterator[int]:
    """Yield the atoms that must be absent before a beginning: they are looked at ahead of it."""
    for node in walk(pattern):
        if isinstance(node, Chain):
            leads = tuple(lead for lead, _ in leads_of(node))
            yield from (leaf.number for leaf in walk(leads) if isinstance(leaf, Leaf))
