"""Why a subscription did or did not match: recent events, and what partial matches wait for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import OpenPlace
from tocsin.engine.machines.silence import SilenceMachine
from tocsin.engine.state import Left, Placed
from tocsin.engine.watch import Watch
from tocsin.language.printer import to_text
from tocsin.model.times import TimeForm, format_time


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an event at an atom; `refused_by` is None where it was taken."""

    row: int | None
    alias: str
    refused_by: str | None

    def __str__(self) -> str:
        shown = "a derived event" if self.row is None else f"row {self.row}"
        if self.refused_by is None:
            return f"{shown}: {self.alias} took it"
        return f"{shown}: {self.alias} refused it, {self.refused_by} does not hold"


@dataclass(frozen=True, slots=True)
class Partial:
    """A partial match.

    Attributes
    ----------
    events
        The rows that each alias has taken.
    waits_for
        The alias of the atom that comes next, or the time that has to pass.
    outcomes
        What became of the recent events that came since.
    """

    events: dict[str, tuple[int | None, ...]]
    waits_for: str
    outcomes: tuple[Outcome, ...]

    def __str__(self) -> str:
        taken = ", ".join(f"{alias}={rows}" for alias, rows in self.events.items()) or "nothing yet"
        head = f"{taken}; waits for {self.waits_for}"
        return "\n".join([head, *(f"  {line}" for line in _summed_up(self.outcomes))])


def _summed_up(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield a line for each run of events of which the same became."""
    for refused_by, several in groupby(outcomes, key=lambda one: one.refused_by):
        first, *others = several
        if not others:
            yield str(first)
            continue
        ends = f"rows {first.row} to {others[-1].row}, {len(others) + 1} events"
        if refused_by is None:
            yield f"{ends}: {first.alias} took them"
        else:
            yield f"{ends}: {first.alias} refused them, {refused_by} does not hold"


@dataclass(frozen=True, slots=True)
class Trace:
    """Why a subscription did or did not match.

    Attributes
    ----------
    first
        What became of recent events as the first of a match.
    partials
        The live partial matches.
    note
        Why the subscription finds nothing any more; None where it does.
    more
        How many live partial matches there are beside those told.
    """

    subscription: str
    first: tuple[Partial, ...]
    partials: tuple[Partial, ...]
    note: str | None
    more: int = 0

    def shortened(self, most: int) -> Trace:
        """Return the same with so many live partial matches at most; the others are counted."""
        more = self.more + max(0, len(self.partials) - most)
        return replace(self, partials=self.partials[:most], more=more)

    def __str__(self) -> str:
        head = f"subscription {self.subscription}"
        lines = [head if self.note is None else f"{head}: {self.note}"]
        lines += [str(one) for one in (*self.first, *self.partials)]
        if self.more > 0:
            lines.append(f"and {self.more} more partial matches")
        return "\n".join(lines)


def trace_of(watch: Watch, form: TimeForm) -> Trace:
    """Return what can be said about a subscription now."""
    machine, note = watch.state.machine, watch.state.stopped
    if machine is None:
        return Trace(watch.name, (), (), f"stopped: {note}" if note else "LIMIT is reached")
    if isinstance(machine, SilenceMachine):
        listening = tuple(
            Partial({}, _quiet_until(one.deadline, form), ()) for one in machine.listening
        )
        return Trace(watch.name, (), listening, None)
    found = [_partial(place, watch, form) for place in machine.open_places()]
    first = tuple(one for one in found if not one.events)
    return Trace(watch.name, first, tuple(one for one in found if one.events), None)


def _partial(place: OpenPlace, watch: Watch, form: TimeForm) -> Partial:
    left, leaf = place.left, place.leaf
    events = rows_by_alias(left)
    if leaf is None:
        assert place.deadline is not None
        return Partial(events, _quiet_until(place.deadline, form), ())
    recent, unordered = watch.state.recent, watch.state.world.unordered
    outcomes = outcomes_of(leaf, left, recent, unordered=unordered)
    return Partial(events, leaf.alias, tuple(outcomes))


def rows_by_alias(left: Left) -> dict[str, tuple[int | None, ...]]:
    """Return the rows that each alias has taken."""
    events: dict[str, tuple[int | None, ...]] = {}
    for taken, placed in left.taken:
        events[taken.alias] = (*events.get(taken.alias, ()), placed.event.row)
    return events


def _quiet_until(deadline: int, form: TimeForm) -> str:
    return f"the clock to pass {format_time(deadline, form)} without what is absent"


def outcomes_of(
    leaf: LeafPart, left: Left, recent: Iterable[Placed], *, unordered: bool
) -> Iterator[Outcome]:
    """Yield what became of recent events at an atom."""
    for placed in recent:
        if left.admits(placed, unordered=unordered):
            yield Outcome(placed.event.row, leaf.alias, _refusal(leaf, left, placed))


def _refusal(leaf: LeafPart, left: Left, placed: Placed) -> str | None:
    """Return the condition that an event fails, None where it satisfies the atom."""
    if leaf.stream is not None and placed.event.stream != leaf.stream:
        return f"being an event of stream {leaf.stream}"
    for conjunct in (*leaf.static, *leaf.dynamic):
        bound = conjunct.apply(left, placed.event)
        if bound is None:
            return to_text(conjunct.text)
        left = bound
    return None
