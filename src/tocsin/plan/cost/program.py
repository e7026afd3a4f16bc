"""The costs of a whole program, in the form of the checker's warnings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tocsin.language.checker import Checked, LanguageWarning
from tocsin.language.normal import normalize
from tocsin.language.rewrite import rewrite
from tocsin.language.tree import Absence, Parameter, Subscription
from tocsin.model.values import Duration
from tocsin.plan.cost.analysis import cost_of
from tocsin.plan.cost.warnings import REFUSED, placed


def cost_warnings(checked: Checked) -> tuple[LanguageWarning, ...]:
    """Return where a program's state is unbounded or can explode, in the order of the text.

    Examples
    --------
    >>> from tocsin.language.checker import check
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE s MATCH a:[x = 1] & b:[x = 2]")
    >>> print(cost_warnings(check(program))[0])
    warning: each side of this '&' is kept for ever: linear in the length of the stream
    (line 1, column 29)
      SUBSCRIBE s MATCH a:[x = 1] & b:[x = 2]
                                  ^
    Add WITHIN 1 hour: the other side may never come.
    """
    program, definitions = checked.program, checked.definitions
    costs = [
        one
        for subscription, facts in zip(program.subscriptions, checked.facts, strict=True)
        for one in cost_of(
            normalize(_timed(subscription), definitions=definitions, sources=facts.sources)
        )
    ]
    return placed((one for one in costs if one.kind in REFUSED), program.source)


def _timed(subscription: Subscription) -> Subscription:
    """Let absences of a template last some time: how long is no matter here."""

    def change(node: Any) -> Any:
        if isinstance(node, Absence) and isinstance(node.duration, Parameter):
            return replace(node, duration=Duration(1), pattern=rewrite(node.pattern, change))
        return None

    timed: Subscription = rewrite(subscription, change)
    return timed
