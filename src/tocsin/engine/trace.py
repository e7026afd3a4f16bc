"""Why a subscription did or did not match: recent events, and what partial matches wait for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from tocsin.engine.endings import KINDS, Ended, ended_of, events_shown, quiet_until, rows_by_alias
from tocsin.engine.machines.diary import Diary, Why
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import OpenPlace
from tocsin.engine.machines.silence import SilenceMachine
from tocsin.engine.refusals import refusal_of
from tocsin.engine.state import Left, Placed
from tocsin.engine.watch import Watch
from tocsin.language.normal import NormalSubscription
from tocsin.model.times import TimeForm


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an event at an atom; `refused_by` is None where it was taken.

    `values` is what the condition that refused it read.
    """

    row: int | None
    alias: str
    refused_by: str | None
    values: str = ""

    def __str__(self) -> str:
        shown = "a derived event" if self.row is None else f"row {self.row}"
        if self.refused_by is None:
            return f"{shown}: {self.alias} took it"
        read = f" ({self.values})" if self.values else ""
        return f"{shown}: {self.alias} refused it, {self.refused_by} does not hold{read}"


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
        head = f"{events_shown(self.events) or 'nothing yet'}; waits for {self.waits_for}"
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
    ended
        The last partial matches that ended, the oldest first.
    endings
        How many partial matches ended in which way.
    told
        Of which partial matches `ended` and `endings` speak; empty where of all.
    """

    subscription: str
    first: tuple[Partial, ...]
    partials: tuple[Partial, ...]
    note: str | None
    more: int = 0
    ended: tuple[Ended, ...] = ()
    endings: Mapping[Why, int] = field(default_factory=dict)
    told: str = ""

    def shortened(self, most: int) -> Trace:
        """Return the same with so many partial matches at most, live and ended; others count."""
        more = self.more + max(0, len(self.partials) - most)
        return replace(self, partials=self.partials[:most], more=more, ended=self.ended[-most:])

    def __str__(self) -> str:
        head = f"subscription {self.subscription}"
        lines = [head if self.note is None else f"{head}: {self.note}"]
        lines += [str(one) for one in (*self.first, *self.partials)]
        if self.more > 0:
            lines.append(f"and {self.more} more partial matches")
        return "\n".join([*lines, *self._ended_shown()])

    def _ended_shown(self) -> Iterator[str]:
        total = sum(self.endings.values())
        if total:
            counts = ", ".join(f"{KINDS[why]}: {count}" for why, count in self.endings.items())
            have = "partial match has" if total == 1 else "partial matches have"
            yield f"{total:,} {have} ended ({counts})"
        if self.told:
            yield f"  {self.told}"
        if total > len(self.ended) > 0:
            yield "  the last of them:"
        for one in self.ended:
            yield f"  {one}"


def trace_of(watch: Watch, form: TimeForm) -> Trace:
    """Return what can be said about a subscription now."""
    machine, note, diary = watch.state.machine, watch.state.stopped, watch.state.world.diary
    ended, endings = ended_in(diary, watch.subscription, form), dict(diary.counts)
    if machine is None:
        return Trace(watch.name, (), (), f"stopped: {note}" if note else "LIMIT is reached")
    if isinstance(machine, SilenceMachine):
        listening = tuple(
            Partial({}, quiet_until(one.deadline, form), ()) for one in machine.listening
        )
        return Trace(watch.name, (), listening, None, ended=ended, endings=endings)
    found = [_partial(place, watch, form) for place in machine.open_places()]
    first = tuple(one for one in found if not one.events)
    partials = tuple(one for one in found if one.events)
    return Trace(watch.name, first, partials, None, ended=ended, endings=endings)


def ended_in(diary: Diary, subscription: NormalSubscription, form: TimeForm) -> tuple[Ended, ...]:
    """Return the last endings of a diary in words."""
    tree, where = subscription.tree, subscription.where
    return tuple(ended_of(one, tree, where, form) for one in diary.last)


def _partial(place: OpenPlace, watch: Watch, form: TimeForm) -> Partial:
    left, leaf = place.left, place.leaf
    events = rows_by_alias(left)
    if leaf is None:
        assert place.deadline is not None
        return Partial(events, quiet_until(place.deadline, form), ())
    recent, unordered = watch.state.recent, watch.state.world.unordered
    outcomes = outcomes_of(leaf, left, recent, form, unordered=unordered)
    return Partial(events, leaf.alias, tuple(outcomes))


def outcomes_of(
    leaf: LeafPart, left: Left, recent: Iterable[Placed], form: TimeForm, *, unordered: bool
) -> Iterator[Outcome]:
    """Yield what became of recent events at an atom."""
    for placed in recent:
        if left.admits(placed, unordered=unordered):
            refusal = refusal_of(leaf, left, placed, form)
            yield Outcome(placed.event.row, leaf.alias, *(refusal or (None,)))
