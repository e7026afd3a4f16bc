"""Every clause of a subscription in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tocsin.language.explain.phrases import length_of_time, listed, span
from tocsin.language.printer import to_text
from tocsin.language.tree import (
    EmitItem,
    Limit,
    MatchLimit,
    Parameter,
    Predict,
    Since,
    Subscription,
    Thresholds,
)
from tocsin.model.times import TimeForm, format_time

_DUPLICATES: Final = {
    "ALL": "every match counts, also several that complete at the same point",
    "FIRST": "of the matches that complete at the same point with the same variables, "
    "the one with the earliest events counts",
    "LAST": "of the matches that complete at the same point with the same variables, "
    "the one with the latest events counts",
}
_PAIRS: Final = {
    "ALL": "an event may take part in any number of matches",
    "UNIQUE": "an event takes part in at most one notification; the first one keeps it",
    "SEPARATE": "a match counts only if all its events come after the completion of the one "
    "notified before",
}


def sources(subscription: Subscription) -> str:
    """Return what the subscription reads."""
    if len(subscription.sources) == 1:
        return f"the stream {subscription.sources[0]}"
    return f"the streams {listed(subscription.sources)}, merged in order of arrival"


def clauses(subscription: Subscription) -> Iterator[tuple[str, str]]:
    """Give a title and a sentence for each clause; the policies always, the rest where it is."""
    if subscription.where is not None:
        yield "Only if", to_text(subscription.where)
    if subscription.within is not None:
        yield "Window", span(subscription.within)
    yield "Duplicates", _DUPLICATES[subscription.duplicates]
    yield "Pairs", _PAIRS[subscription.pairs]
    if subscription.limit is not None:
        yield "Limit", _limit(subscription.limit)
    if subscription.accept is not None:
        yield "Accepts", f"matches that are {_thresholds(subscription.accept)}"
    if subscription.combine is not None:
        yield "Degrees", f"combined with {_combination(subscription)}"
    if subscription.emit:
        yield "Emits", listed(_emitted(item) for item in subscription.emit)
    if subscription.into is not None:
        yield "Derives", f"each notification is also an event of the stream {subscription.into}"
    if subscription.predict is not None:
        yield "Forecasts", _forecast(subscription.predict)
    yield "Since", _since(subscription.since)


def _limit(limit: MatchLimit) -> str:
    count = to_text(limit.count) if isinstance(limit.count, Parameter) else str(limit.count)
    each = "" if limit.per is None else f" for each value of ${limit.per}"
    return f"only the first {count} matches that the policies keep are notified{each}"


def _thresholds(thresholds: Thresholds) -> str:
    said = []
    if thresholds.possibly is not None:
        said.append(f"possible to at least {thresholds.possibly}")
    if thresholds.necessarily is not None:
        said.append(f"necessary to at least {thresholds.necessarily}")
    return listed(said)


def _combination(subscription: Subscription) -> str:
    combine = subscription.combine
    if combine is None:
        raise AssertionError
    if combine.method == "weighted":
        return f"an average weighted by {listed(str(weight) for weight in combine.weights)}"
    return f"the {combine.method}"


def _emitted(item: EmitItem) -> str:
    said = to_text(item.expression)
    return said if item.name is None else f"{item.name} = {said}"


def _forecast(predict: Predict) -> str:
    return (
        f"told when the probability of a match within {_horizon(predict.horizon)} "
        f"rises above {predict.threshold}"
    )


def _horizon(limit: Limit) -> str:
    if limit.unit == "time":
        return length_of_time(limit.amount)
    amount = to_text(limit.amount) if isinstance(limit.amount, Parameter) else str(limit.amount)
    return f"the next {amount} events"


def _since(since: Since | None) -> str:
    if since is None:
        return "only events that come after the subscription was made count"
    if since.moment is None:
        from_when = "events from the beginning of history on count"
    else:
        from_when = f"events from {format_time(since.moment, TimeForm.ISO)} on count"
    if since.only_new:
        return f"{from_when}, but a match needs at least one that came after the subscription"
    return f"{from_when}; the matches of history are told first"
