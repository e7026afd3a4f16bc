"""What a DEFINE does where it is used, found once for each set of streams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tocsin.language.checker.attributes import Attributes
from tocsin.language.checker.scope import Names
from tocsin.language.checker.words import quoted, shortened
from tocsin.model.values import Kind

# Deeper than any program needs, and far from the depth of Python's stack.
MAX_NESTED: Final = 30
_TOO_DEEP: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Effect:
    """A variable in a DEFINE: bound (where the DEFINE stands as a conjunct of a filter) or used.

    Attributes
    ----------
    kind
        That of the value beside it; `UNKNOWN` where there is none.
    """

    name: str
    kind: Kind
    at: int
    binds: bool


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """The effects of a DEFINE on events with these attributes, and its parameters."""

    attributes: Attributes
    effects: tuple[Effect, ...]
    parameters: frozenset[str]


def distinct(effects: list[Effect]) -> tuple[Effect, ...]:
    """Drop repeated effects, which a DEFINE used many times would pile up."""
    if not effects:
        return ()
    first = {(effect.name, effect.kind.value, effect.binds): effect for effect in reversed(effects)}
    return tuple(sorted(first.values(), key=lambda effect: effect.at))


def report_circle(chain: tuple[str, ...], at: int, names: Names) -> None:
    """Note that a DEFINE needs itself; the chain ends with the name it began with."""
    circle = chain[chain.index(chain[-1]) :]
    if frozenset(circle) in names.circles:
        return
    names.circles.add(frozenset(circle))
    if len(circle) == 2:
        what = f"the DEFINE {quoted(circle[0])} is defined by itself"
        names.problems.error(at, what, "Say what it means without its own name.")
        return
    shown = " → ".join(shortened(name) for name in circle)
    what = f"these DEFINEs are defined by one another: {shown}"
    names.problems.error(at, what, "Say what one of them means without the others.")


def report_too_deep(name: str, at: int, names: Names) -> None:
    """Note once that DEFINEs use one another too deeply."""
    if _TOO_DEEP in names.circles:
        return
    names.circles.add(_TOO_DEEP)
    what = f"DEFINEs use one another more than {MAX_NESTED} levels deep, down to {quoted(name)}"
    names.problems.error(at, what, "Write out some of them.")
