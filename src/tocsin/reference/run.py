"""From steps to notifications: each subscription over its stream, producers before readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tocsin.errors import UnsupportedError
from tocsin.language.normal import NormalSubscription, Silence
from tocsin.language.tree import EmitItem
from tocsin.language.tree.naming import emitted_name
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.values import Timestamp, Value
from tocsin.reference.context import Context, Match, Place, Placed
from tocsin.reference.evaluate import View, holds, value
from tocsin.reference.matches import distinct, is_within, matches, positions_of
from tocsin.reference.policies import Complete, kept
from tocsin.reference.silence import Silent, silences
from tocsin.reference.timeline import Added, Removed, Step, Timeline
from tocsin.reference.whole import Whole
from tocsin.reference.world import World


@dataclass(frozen=True, slots=True)
class Live:
    """A subscription and the steps between which it lives."""

    subscription: NormalSubscription
    order: int
    made: int
    ended: int


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification and the place at which it is given."""

    place: Place
    ties: Place
    notification: Notification


def run(
    steps: Sequence[Step], *, unordered: bool = False, whole: Whole | None = None
) -> list[Notification]:
    """Return the notifications of a run, in the order in which they became certain.

    Where the steps are a part of a stream, `whole` tells what the part cannot know.
    """
    course = _Course(Timeline(steps), unordered, whole)
    for live in _lives(steps):
        course.evaluate(live)
    notices = sorted(course.notices, key=lambda notice: (notice.place, notice.ties))
    return [notice.notification for notice in notices]


def _lives(steps: Sequence[Step]) -> list[Live]:
    """Return the subscriptions, each after those whose derived streams it reads."""
    ends: dict[str, int] = {}
    found = []
    for made in reversed(range(len(steps))):
        step = steps[made]
        if isinstance(step, Removed):
            ends[step.name] = made
        elif isinstance(step, Added):
            for order, one in enumerate(step.subscriptions, step.order):
                found.append(Live(one, order, made, ends.get(one.tree.name, len(steps))))
    return _producers_first(found)


def _producers_first(lives: list[Live]) -> list[Live]:
    """Order subscriptions so that each comes after those whose events it may read."""
    fed = {live.subscription.tree.into for live in lives}
    waiting = [live for live in lives if not fed.isdisjoint(live.subscription.sources)]
    ready = [live for live in lives if fed.isdisjoint(live.subscription.sources)]
    while waiting:
        free = [live for live in waiting if not any(_feeds(other, live) for other in waiting)]
        if not free:
            names = ", ".join(live.subscription.tree.name for live in waiting)
            msg = f"{names} feed one another in turn; the reference runs no such circle"
            raise UnsupportedError(msg)
        ready += free
        waiting = [live for live in waiting if not any(live is other for other in free)]
    return ready


def _feeds(producer: Live, reader: Live) -> bool:
    """Say whether a derived event of one may count for another: they meet, or it looks back."""
    if producer.subscription.tree.into not in reader.subscription.sources:
        return False
    looks_back = reader.subscription.tree.since is not None
    return producer.made < reader.ended and (looks_back or reader.made < producer.ended)


@dataclass(slots=True)
class _Course:
    """What has happened so far: derived events and notices."""

    timeline: Timeline
    unordered: bool
    whole: Whole | None
    derived: list[tuple[Place, Event]] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def evaluate(self, live: Live) -> None:
        """Add the notices and the derived events of one subscription."""
        world = self._world(live)
        complete = self._complete(live, world)
        for one in kept(live.subscription.tree, complete):
            self._report(live, one)

    def _world(self, live: Live) -> World:
        return World(
            stream=self._stream(live),
            start=self._start(live),
            unordered=self.unordered,
            completion=self.timeline.completion,
            find=matches,
        )

    def _stream(self, live: Live) -> tuple[Placed, ...]:
        """The events of its sources that count for it, in order."""
        steps = self.timeline.steps
        events: list[tuple[Place, Event]] = [
            ((number, 1), step) for number, step in enumerate(steps) if isinstance(step, Event)
        ]
        seen = [
            (place, event)
            for place, event in sorted(events + self.derived, key=lambda item: item[0])
            if event.stream in live.subscription.sources and _counts(live, place, event)
        ]
        known = None if self.whole is None else self.whole.positions_of(live.subscription.sources)
        if known is None:
            return tuple(Placed(i, place, event) for i, (place, event) in enumerate(seen))
        return tuple(Placed(known[event.row], place, event) for place, event in seen)

    def _start(self, live: Live) -> int | None:
        """The clock when it was made, or the first time known; earlier with SINCE."""
        if self.whole is not None:
            return self.whole.start
        clock = self.timeline.clock_before(live.made)
        start = clock if clock is not None else self.timeline.first_moment(live.made)
        since = live.subscription.tree.since
        first = self.timeline.first_moment()
        if since is None or start is None or first is None:
            return start
        return min(start, first if since.moment is None else max(first, since.moment))

    def _complete(self, live: Live, world: World) -> Iterator[Complete]:
        pattern = live.subscription.pattern
        every = (
            map(_complete_silence, silences(world, self.timeline, pattern))
            if isinstance(pattern, Silence)
            else self._complete_matches(live, world)
        )
        where = live.subscription.where
        return (
            one
            for one in every
            if one.place < (live.ended,)
            and _is_wanted(live, one)
            and (where is None or holds(where, View(_context_of(one))))
        )

    def _complete_matches(self, live: Live, world: World) -> Iterator[Complete]:
        within = live.subscription.tree.within
        for match in distinct(matches(world, live.subscription.pattern, Context())):
            place = self.timeline.completion(match)
            if place is not None and (within is None or is_within(match, within)):
                yield _complete_match(match, place)

    def _report(self, live: Live, one: Complete) -> None:
        """Notify, and put the derived event right behind what completed it."""
        place, ties = one.place, (one.places, live.order, *one.order()[2:])
        if place < (live.made,):  # history, reported when the subscription is made
            place = (live.made, 2, place)
        emitted = _emitted(live, one)
        self.notices.append(Notice(place, ties, _notification(live, one, emitted)))
        into = live.subscription.tree.into
        if into is not None:
            now = self.timeline.clock_before(live.made)
            end = one.at if now is None else max(one.at, now)
            event = Event(into, one.row, Timestamp(one.begin), Timestamp(end), emitted)
            self.derived.append(((*place, ties), event))


def _counts(live: Live, place: Place, event: Event) -> bool:
    """Only events after a subscription was made count; with SINCE also those from then on."""
    if place > (live.made,):
        return True
    since = live.subscription.tree.since
    return since is not None and (since.moment is None or event.begin >= since.moment)


def _is_wanted(live: Live, one: Complete) -> bool:
    """`SINCE … ONLY NEW`: at least one of its events, or its silence, came after it was made."""
    since = live.subscription.tree.since
    if since is None or not since.only_new:
        return True
    return any(place > (live.made,) for place in one.places or (one.place,))


def _complete_match(match: Match, place: Place) -> Complete:
    _, atoms = positions_of(match)
    last = match.last
    by_clock = place != last.place
    assert not by_clock or match.deadline is not None
    return Complete(
        place=place,
        places=tuple(sorted(taken.placed.place for taken in match.taken)),
        atoms=atoms,
        at=(match.deadline or 0) if by_clock else last.event.end,
        row=None if by_clock else last.event.row,
        begin=match.begin,
        end=match.end,
        variables=match.variables,
        match=match,
    )


def _complete_silence(silent: Silent) -> Complete:
    return Complete(
        place=silent.place,
        places=(),
        atoms=(),
        at=silent.deadline,
        row=None,
        begin=silent.begin,
        end=silent.deadline,
        variables=silent.variables,
        match=None,
    )


def _context_of(one: Complete) -> Context:
    """Return what WHERE and EMIT see."""
    context = Context(variables=one.variables)
    return context if one.match is None else context.extended(one.match)


def _emitted(live: Live, one: Complete) -> dict[str, Value]:
    context = _context_of(one)
    items: tuple[EmitItem, ...] = live.subscription.tree.emit
    return {emitted_name(item): value(item.expression, View(context)) for item in items}


def _notification(live: Live, one: Complete, emitted: dict[str, Value]) -> Notification:
    subscription = live.subscription
    taken = one.match.taken if one.match is not None else ()
    rows = {
        alias: tuple(t.placed.event.row for t in taken if t.leaf.alias == alias)
        for alias in subscription.aliases
    }
    return Notification(
        subscription=subscription.tree.name,
        kind="match",
        at=Timestamp(one.at),
        position=one.row,
        begin=Timestamp(one.begin),
        end=Timestamp(one.end),
        events=rows,
        variables={name: one.variables.get(name) for name in subscription.variables},
        emit=emitted,
    )
