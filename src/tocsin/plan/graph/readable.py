"""Conditions of linear forms in the words of the text: aliases and variables instead of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from typing import Literal as OneOf

from tocsin.language.printer import to_text
from tocsin.language.rewrite import rewrite
from tocsin.language.tree import (
    Aggregate,
    Attribute,
    EventReference,
    Expression,
    Literal,
    OfEvent,
    TimeOf,
    Variable,
)
from tocsin.plan.linear import Bound, Test

_TIMES: Final[dict[str, OneOf["t", "begin"]]] = {"$end": "t", "$begin": "begin"}


@dataclass(frozen=True, slots=True)
class Words:
    """What the numbers of a linear form stand for at one place.

    Attributes
    ----------
    alias_of_leaf
        The aliases of the atoms.
    variables
        Where the values of variables come from.
    own
        The alias of the event that is looked at.
    """

    alias_of_leaf: Mapping[int, str]
    variables: Mapping[str, Bound]
    own: str | None = None

    def text(self, condition: Expression) -> str:
        """Return a condition as its author might have written it."""
        return to_text(rewrite(condition, self._change))

    def guards(self, test: Test) -> tuple[str, ...]:
        """Return the conditions that look at the match, one by one."""
        return tuple(self.text(part) for part in test.dynamic)

    def all_parts(self, test: Test) -> tuple[str, ...]:
        """Return all conditions of a test, what an event decides alone first."""
        static = () if test.static == Literal(True) else (self.text(test.static),)
        return (*static, *self.guards(test))

    def _change(self, node: Any) -> Any:
        match node:
            case OfEvent(EventReference(alias, which), attribute) if alias.startswith("#"):
                return self._of_event(int(alias[1:]), which, attribute)
            case Aggregate(alias=alias) if alias.startswith("#"):
                return replace(node, alias=self.alias_of_leaf[int(alias[1:])])
            case Attribute(name) if name in _TIMES:
                return TimeOf(_TIMES[name], EventReference(self.own or "event"))
        return None

    def _of_event(self, leaf: int, which: Any, attribute: str) -> Expression:
        for name, bound in self.variables.items():
            if which == "first" and bound == Bound(leaf, attribute):
                return Variable(name)
        event = EventReference(self.alias_of_leaf[leaf], which)
        if attribute in _TIMES:
            return TimeOf(_TIMES[attribute], event)
        return OfEvent(event, attribute)
