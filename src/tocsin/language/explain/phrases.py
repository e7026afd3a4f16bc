"""Small phrases: events, counts, limits, lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tocsin.language.printer import to_text
from tocsin.language.tree import (
    And,
    Comparison,
    Expression,
    Limit,
    Link,
    Literal,
    Parameter,
    Variable,
)
from tocsin.model.durations import format_duration

_SUFFIXES: Final = {1: "st", 2: "nd", 3: "rd"}


def of_stream(stream: str | None) -> str:
    """Return ` of asks`, or nothing for any stream."""
    return "" if stream is None else f" of {stream}"


def is_always_true(condition: Expression | None) -> bool:
    """Say whether a filter lets every event through."""
    return condition is None or condition == Literal(value=True)


def with_condition(condition: Expression | None) -> str:
    """Return ` with price > 10`, or nothing where everything passes."""
    if condition is None or is_always_true(condition):
        return ""
    return f" with {to_text(condition)}"


def first_event(stream: str | None, condition: Expression | None) -> str:
    """Return `an event of asks with price > 10`."""
    kind = "any event" if is_always_true(condition) else "an event"
    return f"{kind}{of_stream(stream)}{with_condition(condition)}"


def linked_event(link: Link, stream: str | None, condition: Expression | None) -> str:
    """Return how an atom follows what stands before it."""
    said = f"{of_stream(stream)}{with_condition(condition)}"
    if link.kind == ";":
        return f"any later event{said}"
    if link.kind == "->" and link.condition is None:
        return f"the first later event{said}"
    if link.kind == ",":
        which = "the very next event"
    else:
        which = f"the first later event{with_condition(link.condition)}"
    return f"{which}, if it is one{said}" if said else f"{which}, whatever it is"


def beginning(link: Link) -> str:
    """Return where a part of several events begins."""
    if link.kind == ";":
        return "beginning with any later event"
    if link.kind == ",":
        return "beginning with the very next event"
    if link.condition is None:
        return "beginning with the first later event that can open it"
    return f"beginning with the first later event{with_condition(link.condition)}"


def repetitions(low: int, high: int | None) -> str:
    """Return how often something is repeated.

    Examples
    --------
    >>> repetitions(3, 3), repetitions(2, None), repetitions(0, 1)
    ('exactly 3 times', '2 or more times', 'once or not at all')
    """
    if (low, high) == (0, 1):
        return "once or not at all"
    if low == 0:
        return "any number of times, also none" if high is None else f"up to {times(high)}, or none"
    if high is None:
        return f"{low} or more times"
    return f"exactly {times(low)}" if low == high else f"{low} to {times(high)}"


def times(count: int) -> str:
    """Return `once`, `3 times`."""
    return "once" if count == 1 else f"{count} times"


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `11th`.

    Examples
    --------
    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    suffix = "th" if 10 <= number % 100 <= 20 else _SUFFIXES.get(number % 10, "th")
    return f"{number}{suffix}"


def length_of_time(duration: int | Parameter) -> str:
    """Return `5 min`, or `{window}` for a parameter."""
    return to_text(duration) if isinstance(duration, Parameter) else format_duration(duration)


def span(limit: Limit) -> str:
    """Return what WITHIN asks of a match."""
    if limit.unit == "time":
        time = length_of_time(limit.amount)
        return f"at most {time} from the begin of its first to the end of its last event"
    amount = to_text(limit.amount) if isinstance(limit.amount, Parameter) else str(limit.amount)
    return f"its first and last event lie in a stretch of {amount} events of the stream"


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return `a, b and c`.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or"), listed(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    *most, final = words
    return f"{', '.join(most)} {last} {final}" if most else final


def bound_in(condition: Expression | None) -> Iterator[tuple[str, Expression]]:
    """Give the variables an atom's filter can bind, with what each is compared with."""
    parts = condition.parts if isinstance(condition, And) else (condition,)
    for part in parts:
        if isinstance(part, Comparison) and part.operator == "=":
            if isinstance(part.right, Variable):
                yield part.right.name, part.left
            elif isinstance(part.left, Variable):
                yield part.left.name, part.right
