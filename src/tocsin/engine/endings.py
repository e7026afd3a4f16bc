"""How partial matches ended, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from tocsin.engine.machines.both import BothPart
from tocsin.engine.machines.diary import Ending, Why
from tocsin.engine.machines.filters import BoundedPart, GuardPart
from tocsin.engine.machines.iteration import IterationPart
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Reach
from tocsin.engine.machines.repeat import AnyOrderPart
from tocsin.engine.machines.sequence import SequencePart
from tocsin.engine.refusals import refusal_of, values_in
from tocsin.engine.state import Left, Placed
from tocsin.language.printer import to_text
from tocsin.language.tree import Expression, Subscription
from tocsin.model.durations import format_duration
from tocsin.model.times import TimeForm, format_time

KINDS: Final[dict[Why, str]] = {
    "window": "window over",
    "condition": "refused by @ or WHERE",
    "next": "not what came next",
    "first": "not what came first",
    "until": "ended by UNTIL",
    "absent": "something came that must be absent",
    "before": "something had come that must be absent",
    "growth": "no growth",
    "limit": "given up by limits",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """A partial match that ended.

    Attributes
    ----------
    events
        The rows that each alias had taken.
    waited_for
        What it waited for; empty where it had all it needs, and was refused.
    why
        Which kind of end it was.
    reason
        The same in words, with the event, the condition and its values.
    """

    events: dict[str, tuple[int | None, ...]]
    waited_for: tuple[str, ...]
    why: Why
    reason: str

    def __str__(self) -> str:
        waited = f"waited for {' or '.join(self.waited_for)}; " if self.waited_for else ""
        return f"{events_shown(self.events) or 'silence'}; {waited}{self.reason}"


def events_shown(events: dict[str, tuple[int | None, ...]]) -> str:
    """Return the rows of each alias as a line shows them."""
    return ", ".join(f"{alias}={rows}" for alias, rows in events.items())


def rows_by_alias(left: Left) -> dict[str, tuple[int | None, ...]]:
    """Return the rows that each alias has taken."""
    events: dict[str, tuple[int | None, ...]] = {}
    for taken, placed in left.taken:
        events[taken.alias] = (*events.get(taken.alias, ()), placed.event.row)
    return events


def quiet_until(deadline: int, form: TimeForm) -> str:
    """Return what a match waits for that only time completes."""
    return f"the clock to pass {format_time(deadline, form)} without what is absent"


def row_shown(placed: Placed) -> str:
    """Return how an event is called."""
    return "a derived event" if placed.event.row is None else f"row {placed.event.row}"


def ended_of(ending: Ending, tree: Subscription, where: Expression | None, form: TimeForm) -> Ended:
    """Put an ending into words; `where` is the WHERE clause with definitions inlined."""
    waited = tuple(
        quiet_until(one, form) if isinstance(one, int) else one.alias for one in ending.waited
    )
    reason = _REASONS[ending.why](_Told(ending, tree, where, form))
    return Ended(rows_by_alias(ending.left), tuple(dict.fromkeys(waited)), ending.why, reason)


@dataclass(frozen=True, slots=True)
class _Told:
    """An ending and what is needed to tell of it."""

    ending: Ending
    tree: Subscription
    where: Expression | None
    form: TimeForm

    def time(self, moment: int) -> str:
        return str(format_time(moment, self.form))

    @property
    def who(self) -> str:
        return "it" if self.ending.by is None else row_shown(self.ending.by)


_Reason: TypeAlias = Callable[[_Told], str]


def _window(told: _Told) -> str:
    ending = told.ending
    begin = ending.begin
    if begin is None:
        begin = min(placed.event.begin for _, placed in ending.left.taken)
    reach = _reach(told)
    if reach.span_us is not None and (ending.at is None or ending.at - begin > reach.span_us):
        over = told.time(begin + reach.span_us)
        return f"its window of {format_duration(reach.span_us)} was over at {over}"
    return f"its window of {reach.events} events was over"


def _reach(told: _Told) -> Reach:
    cause = told.ending.cause
    if isinstance(cause, SequencePart | BothPart | AnyOrderPart):
        return cause.reach
    if isinstance(cause, BoundedPart):
        return Reach().within(cause.limit)
    return Reach().within(told.tree.within)


def _condition(told: _Told) -> str:
    cause = told.ending.cause
    is_guard = isinstance(cause, GuardPart)
    condition = cause.text if isinstance(cause, GuardPart) else told.where
    assert condition is not None, "only `@` and WHERE are conditions on a match"
    read = values_in(condition, told.ending.left, None, told.form)
    shown = f"@ ({to_text(condition)})" if is_guard else f"WHERE {to_text(condition)}"
    return f"{shown} does not hold" + (f" ({read})" if read else "")


def _next(told: _Told) -> str:
    after, by = told.ending.left.after, told.ending.by
    assert after is not None, "it has taken an event"
    if by is None or by.position != after[0] + 1:
        return "the next event was no such event"
    return f"{told.who} came next{_refused(told, by)}"


def _first(told: _Told) -> str:
    by = told.ending.by
    assert by is not None, "an event came first"
    return f"{told.who} came first{_refused(told, by)}"


def _refused(told: _Told, placed: Placed) -> str:
    """Return why none of the atoms could take an event."""
    refusals = {
        leaf.alias: refusal_of(leaf, told.ending.left, placed, told.form)
        for leaf in told.ending.waited
        if isinstance(leaf, LeafPart)
    }
    said = [
        f"{alias} refused it, {one.condition} does not hold"
        + (f" ({one.values})" if one.values else "")
        for alias, one in refusals.items()
        if one is not None
    ]
    if len(said) < len(refusals):  # an atom took it, so that it was a condition on the match
        return ", and what it completed was refused"
    return "; " + "; ".join(said) if said else ""


def _until(told: _Told) -> str:
    cause, by = told.ending.cause, told.ending.by
    assert isinstance(cause, IterationPart)
    assert cause.until_text is not None
    assert by is not None, "an event satisfied it"
    return f"{told.who} ended it, UNTIL ({to_text(cause.until_text)}) holds"


def _absent(told: _Told) -> str:
    if told.ending.left.taken:
        return f"{told.who} came, which must be absent"
    assert told.ending.at is not None, "a silence has a begin"
    return f"it began at {told.time(told.ending.at)}, and {told.who} ended it"


def _before(told: _Told) -> str:
    del told
    return "what must be absent before it had come, or nobody had watched for long enough"


def _growth(told: _Told) -> str:
    cause = told.ending.cause
    assert isinstance(cause, IterationPart)
    assert cause.growth is not None
    attribute, amount = cause.growth
    return f"{attribute} did not grow by {amount}"


def _limit(told: _Told) -> str:
    del told
    return "limits on instances left no room for it"


_REASONS: Final[dict[Why, _Reason]] = {
    "window": _window,
    "condition": _condition,
    "next": _next,
    "first": _first,
    "until": _until,
    "absent": _absent,
    "before": _before,
    "growth": _growth,
    "limit": _limit,
}
