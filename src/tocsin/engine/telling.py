"""How matches are told: events by alias, variables, what EMIT asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tocsin.engine.complete import Complete
from tocsin.engine.expressions import compile_value
from tocsin.engine.references import attribute_of
from tocsin.engine.state import Found, Left, Placed
from tocsin.language.normal import NormalSubscription
from tocsin.language.normal.normalize import present_leaves
from tocsin.language.tree import Attribute, Comparison, Expression, Variable
from tocsin.language.tree.naming import emitted_name
from tocsin.model.notification import Notification
from tocsin.model.values import Timestamp, Value
from tocsin.plan.predicates.split import conjuncts


@dataclass(frozen=True, slots=True)
class Atom:
    """An atom of a linear pattern; `bindings` are variables and the attributes they equal."""

    alias: str
    atom: int
    bindings: tuple[tuple[str, str], ...]


class Telling:
    """How matches of a subscription become notifications.

    Parameters
    ----------
    subscription
        In normal form.
    """

    def __init__(self, subscription: NormalSubscription) -> None:
        self.subscription = subscription
        self.tree = subscription.tree
        self._emit = [(emitted_name(one), compile_value(one.expression)) for one in self.tree.emit]

    def emitted(self, one: Complete) -> dict[str, Value]:
        """Return what EMIT asks for."""
        if not self._emit:
            return {}
        left = Left((), one.variables, None, {})
        if one.found is not None:
            left = left.behind(one.found)
        return {name: get(left, None) for name, get in self._emit}

    def notification(self, name: str, one: Complete, emitted: dict[str, Value]) -> Notification:
        """Return what the subscriber with this name is told."""
        rows: dict[str, tuple[int | None, ...]] = dict.fromkeys(self.subscription.aliases, ())
        for leaf, placed in one.found.taken if one.found is not None else ():
            if leaf.alias in rows:
                rows[leaf.alias] += (placed.event.row,)
        return Notification(
            name,
            "match",
            Timestamp(one.at),
            one.row,
            Timestamp(one.begin),
            Timestamp(one.end),
            rows,
            {name: one.variables.get(name) for name in self.subscription.variables},
            emitted,
        )


class LinearTelling(Telling):
    """The same for linear subscriptions, whose matches are events with the numbers of atoms."""

    def __init__(self, subscription: NormalSubscription) -> None:
        super().__init__(subscription)
        self.atoms = {
            leaf.number: Atom(leaf.alias, leaf.number, tuple(_bindings(leaf.condition)))
            for leaf in present_leaves(subscription.pattern)
        }

    def found(self, taken: Sequence[tuple[int, Placed]]) -> Found:
        """Return the match of events in order, each with the number of its atom."""
        variables: dict[str, Value] = {}
        for leaf, placed in taken:
            for name, attribute in self.atoms[leaf].bindings:
                if name not in variables:
                    variables[name] = attribute_of(placed.event, attribute)
        return Found(
            tuple((self.atoms[leaf], placed) for leaf, placed in taken),  # type: ignore[misc]
            variables,
            None,
            (),
            taken[0][1].position,
            taken[-1][1],
            min(placed.event.begin for _, placed in taken),
            max(placed.event.end for _, placed in taken),
        )


def _bindings(condition: Expression) -> list[tuple[str, str]]:
    found = []
    for conjunct in conjuncts(condition):
        match conjunct:
            case Comparison("=", Attribute(attribute), Variable(name)) | Comparison(
                "=", Variable(name), Attribute(attribute)
            ):
                found.append((name, attribute))
    return found
