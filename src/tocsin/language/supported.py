"""What parses and checks but does not run yet, refused by name before anything starts."""

from __future__ import annotations

from tocsin.errors import UnsupportedError
from tocsin.language.tree import Expression, Parameter, Program, Subscription, Vague
from tocsin.language.variables import walk


def refuse_unsupported(program: Program, *, with_table: bool = False) -> None:
    """Raise where a subscription asks for something that does not run yet.

    With a table, subscriptions may have parameters.

    Raises
    ------
    UnsupportedError
        Names the subscription, the clause, and what to do.
    """
    vague = {d.name for d in program.definitions if _is_vague(d.condition)}
    for subscription in program.subscriptions:
        if not with_table:
            _refuse_parameters(subscription)
        clause = _unsupported_clause(subscription, vague)
        if clause is not None:
            msg = f"subscription '{subscription.name}': {clause} does not run yet; leave it out"
            raise UnsupportedError(msg)


def _unsupported_clause(subscription: Subscription, vague: set[str]) -> str | None:
    if subscription.predict is not None:
        return "PREDICT"
    if subscription.accept is not None:
        return "ACCEPT"
    if subscription.combine is not None:
        return "COMBINE WITH"
    if any(isinstance(node, Vague) or _names(node) in vague for node in walk(subscription)):
        return "a vague predicate (IS a fuzzy term)"
    return None


def _is_vague(condition: Expression) -> bool:
    return any(isinstance(node, Vague) for node in walk(condition))


def _names(node: object) -> str | None:
    return getattr(node, "name", None)


def _refuse_parameters(subscription: Subscription) -> None:
    names = [node.name for node in walk(subscription) if isinstance(node, Parameter)]
    if names or "{" in subscription.name:
        shown = ", ".join(f"{{{name}}}" for name in dict.fromkeys(names)) or subscription.name
        what = f"subscription '{subscription.name}' has parameters ({shown})"
        msg = f"{what}; pass a table that fills them"
        raise UnsupportedError(msg)
