"""The order of subscriptions: those that feed a stream come before those that read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tocsin.language.checker.problems import Problems
from tocsin.language.checker.streams import Streams
from tocsin.language.checker.words import quoted, shortened
from tocsin.language.tree import Subscription

_SHOWN: Final = 8


def order_of(
    subscriptions: Sequence[Subscription], streams: Streams, problems: Problems
) -> tuple[int, ...]:
    """Return the places of the subscriptions in such an order; a circle is an error."""
    if not streams.derived:
        return tuple(range(len(subscriptions)))
    feeders = [
        {
            feeder
            for source in streams.sources_of(subscription)
            for feeder in streams.derived.get(source, ())
        }
        for subscription in subscriptions
    ]
    if not any(feeders):
        return tuple(range(len(subscriptions)))
    return _sorted(subscriptions, feeders, problems)


def _sorted(
    subscriptions: Sequence[Subscription], feeders: list[set[int]], problems: Problems
) -> tuple[int, ...]:
    readers: dict[int, list[int]] = {}
    for reader, needed in enumerate(feeders):
        for feeder in needed:
            readers.setdefault(feeder, []).append(reader)
    waiting = {reader: len(needed) for reader, needed in enumerate(feeders)}
    ready = [reader for reader, count in waiting.items() if count == 0]
    order: list[int] = []
    while waiting:
        if not ready:
            circle = _circle(feeders, waiting)
            _report_circle([subscriptions[index] for index in circle], problems)
            ready = [circle[0]]
        done = ready.pop(0)
        if done not in waiting:
            continue
        del waiting[done]
        order.append(done)
        for reader in sorted(readers.get(done, ())):
            if reader in waiting:
                waiting[reader] -= 1
                if waiting[reader] == 0:
                    ready.append(reader)
    return tuple(order)


def _circle(feeders: list[set[int]], waiting: dict[int, int]) -> list[int]:
    """Return a circle among those that wait for one another, in the order of feeding."""
    path: list[int] = []
    place_of: dict[int, int] = {}
    at = min(waiting)
    while at not in place_of:
        place_of[at] = len(path)
        path.append(at)
        at = min(feeder for feeder in feeders[at] if feeder in waiting)
    circle = path[place_of[at] :][::-1]
    first = circle.index(min(circle))
    return circle[first:] + circle[:first]


def _report_circle(circle: list[Subscription], problems: Problems) -> None:
    first = circle[0]
    at = problems.locator.after(first.at, "INTO")
    stream = quoted(str(first.into))
    if len(circle) == 1:
        what = f"{quoted(first.name)} reads the stream {stream} that it feeds itself"
        hint = "Send its output INTO another stream, or read another one FROM."
    else:
        names = [shortened(one.name) for one in (*circle, first)]
        if len(names) > _SHOWN:
            names = [*names[: _SHOWN - 2], "…", names[-1]]
        shown = " → ".join(names)
        what = f"subscriptions that feed one another in a circle: {shown}"
        hint = f"Let one of them read or feed another stream; {stream} begins the circle."
    problems.error(at, what, hint)
