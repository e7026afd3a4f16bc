"""Clauses other than EMIT: WHERE, WITHIN, LIMIT, ACCEPT, COMBINE, PREDICT."""

from __future__ import annotations

from tocsin.language.checker.conditions import condition
from tocsin.language.checker.kinds import UNKNOWN
from tocsin.language.checker.patterns import note_limit
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.structure import check_limit
from tocsin.language.checker.vague import check_thresholds
from tocsin.language.checker.variables import use_variable
from tocsin.language.tree import Combine, MatchLimit, Parameter, Predict, Subscription


def check_clauses(subscription: Subscription, scope: Scope) -> None:
    """Check the clauses of a subscription whose pattern has been checked."""
    if subscription.where is not None:
        condition(subscription.where, scope)
    if subscription.within is not None:
        check_limit(subscription.within, scope.problems)
        note_limit(subscription.within, scope)
    if subscription.limit is not None:
        _check_count(subscription.limit, scope)
    if subscription.accept is not None:
        check_thresholds(subscription.accept, scope)
    if subscription.combine is not None:
        _check_weights(subscription.combine, scope)
    if subscription.predict is not None:
        _check_forecast(subscription.predict, scope)


def _check_count(limit: MatchLimit, scope: Scope) -> None:
    if isinstance(limit.count, Parameter):
        scope.parameters.add(limit.count.name)
    elif limit.count < 1:
        scope.problems.error(limit.at, "LIMIT 0 never notifies", "Write LIMIT 1 or more.")
    if limit.per is not None and limit.per not in scope.variables:
        at = scope.problems.locator.name(limit.at, limit.per)
        use_variable(limit.per, at, UNKNOWN, scope)


def _check_weights(combine: Combine, scope: Scope) -> None:
    for weight in combine.weights:
        if not 0 <= weight <= 1:
            what = f"the weight {weight:g} is not between 0 and 1"
            at = scope.problems.locator.after(combine.at, "WITH")
            scope.problems.error(at, what, "Write it as in weighted(0.3, 0.7).")


def _check_forecast(predict: Predict, scope: Scope) -> None:
    check_limit(predict.horizon, scope.problems)
    note_limit(predict.horizon, scope)
    if 0 < predict.threshold < 1:
        return
    at = scope.problems.locator.after(predict.at, "ABOVE")
    what = f"ABOVE {predict.threshold:g} is no probability between 0 and 1"
    hint = "0 would always warn and 1 never: write something like 0.8."
    if 2 <= predict.threshold <= 100:
        hint = f"Write {predict.threshold / 100:g} for {predict.threshold:g} %."
    scope.problems.error(at, what, hint)
