"""Why a subscription of a lane did or did not match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tocsin.engine.endings import Ended, ended_of, rows_by_alias
from tocsin.engine.lane_matches import Decoded, LaneMatches
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.linear import Found
from tocsin.engine.linear.arrays import (
    BEGIN_US,
    FIRST_POSITION,
    LINK,
    NONE,
    USED,
    WAITS_IN,
)
from tocsin.engine.machines.diary import Ending
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.static import no_filters
from tocsin.engine.members import Member
from tocsin.engine.shadow import MOST_FOLLOWED, Shadow
from tocsin.engine.state import Left, nothing_left
from tocsin.engine.trace import Partial, Trace, ended_in, outcomes_of
from tocsin.language.normal import NormalSubscription
from tocsin.language.normal.normalize import present_leaves
from tocsin.model.times import TimeForm
from tocsin.plan.linear import linear_form

MOST_PARTIALS: Final = 200
"""So many live partial matches are told, the oldest first."""


def trace_of_member(
    unit: LaneUnit, member: Member, normal: NormalSubscription, form: TimeForm
) -> Trace:
    """Return what can be said about a subscription now; `normal` is its normal form."""
    if member.number == NONE:
        note = f"stopped: {member.stopped}" if member.stopped else "LIMIT is reached"
        return Trace(member.name, (), (), note)
    unit.lane.sweep()
    tracer = _Tracer(unit, member, normal, form)
    partials = tracer.partials()
    shown = [one for _, one in zip(range(MOST_PARTIALS), partials, strict=False)]
    more = tracer.waiting - len(shown)
    trace = Trace(member.name, tuple(tracer.first()), tuple(shown), None, more)
    return replace(trace, **tracer.endings())


class _Tracer:
    def __init__(
        self, unit: LaneUnit, member: Member, normal: NormalSubscription, form: TimeForm
    ) -> None:
        self.unit = unit
        self.member = member
        self.normal = normal
        self.form = form
        self.lane = unit.lane
        leaves = present_leaves(normal.pattern)
        self.leaves = {leaf.number: LeafPart(leaf, no_filters()) for leaf in leaves}
        made = int(self.lane.store.made[member.number])
        self.recent = [one for one in unit.recent_events() if one.position >= made]
        self.nodes = self.lane.nodes_of(linear_form(normal), member.order)
        self.instances = self._instances()
        self.waiting = len(self.instances)

    def _instances(self) -> list[int]:
        machine = self.lane.machine
        used = int(machine.work.counters[USED])
        groups = machine.instances.cells[:used, WAITS_IN]
        own = np.isin(groups, self.lane.store.groups_of(self.member.number))
        times = machine.links.times[machine.instances.cells[:used, LINK]]
        begins = times[:, FIRST_POSITION]
        made = self.lane.store.made[self.member.number]
        span_us, span_events = self.lane.store.spans_of(self.member.number)
        # Others may wait longer in the states that they share.
        is_live = (begins >= made) & (machine.now_us - times[:, BEGIN_US] <= span_us)
        is_live &= machine.position - begins < span_events
        found = np.flatnonzero(own & is_live & (groups != NONE))
        return sorted(found.tolist(), key=lambda i: int(begins[i]))

    def first(self) -> Iterator[Partial]:
        """Tell what became of recent events as the first of a match."""
        moves = self.lane.store.moves
        leaves = {int(moves["leaf"][node]) for node in self.nodes if self._opens(node)}
        for leaf in sorted(leaves):
            yield self._partial(nothing_left(), leaf)

    def _opens(self, node: int) -> bool:
        group = int(self.lane.store.moves["group"][node])
        return int(self.lane.store.groups["node"][group]) == NONE

    def partials(self) -> Iterator[Partial]:
        """Tell of live partial matches what each waits for."""
        for instance in self.instances:
            machine = self.lane.machine
            group = int(machine.instances.cells[instance, WAITS_IN])
            left = self._left(int(machine.instances.cells[instance, LINK]))
            for leaf in self._awaited(group):
                yield self._partial(left, leaf)

    def _awaited(self, group: int) -> list[int]:
        store = self.lane.store
        own = {*self.nodes, *(int(store.moves["target"][n]) for n in self.nodes)}
        moves = store.moves_of_group.of(group)[:, 0].tolist()
        return sorted({
            int(store.moves["leaf"][move])
            for move in moves
            if int(store.moves["target"][move]) in own
        })  # fmt: skip

    def _left(self, link: int) -> Left:
        """Return what a partial match has taken."""
        links = self.lane.machine.links
        rows: list[int] = []
        leaves: list[int] = []
        while link != NONE:
            parent, row, leaf = links.cells[link].tolist()
            rows.append(row)
            leaves.append(leaf)
            link = parent
        one = np.zeros(1, np.int32)
        part = Found(
            one, one, np.array([0, len(rows)]), np.array(rows[::-1]), np.array(leaves[::-1]),
            self.lane.machine.kept,
        )  # fmt: skip
        words = self.lane.vocabulary
        matches = LaneMatches(part, {}, self.unit.places(), words, words.words())
        complete = Decoded(matches).complete(0, self.member)
        assert complete.found is not None
        return nothing_left().behind(complete.found)

    def _partial(self, left: Left, leaf: int) -> Partial:
        part = self.leaves[leaf]
        outcomes = outcomes_of(part, left, self.recent, self.form, unordered=False)
        return Partial(rows_by_alias(left), part.alias, tuple(outcomes))

    def endings(self) -> dict[str, Any]:
        """Return what a trace tells of partial matches that have ended."""
        shadow = self.unit.shadow_of(self.member, self.normal)
        ended = ended_in(shadow.diary, self.normal, self.form)
        counts = dict(shadow.diary.counts)
        if counts.pop("limit", 0):  # those that the shadow had no room for
            ended = tuple(one for one in ended if one.why != "limit")
        given_up = self._given_up(shadow)
        if given_up:
            counts["limit"] = len(given_up)
        return {
            "ended": (*ended, *given_up),
            "endings": counts,
            "told": "; ".join(self._told(shadow, has_lost=bool(given_up))),
        }

    def _told(self, shadow: Shadow, *, has_lost: bool) -> Iterator[str]:
        """Yield what is not known about partial matches that ended."""
        if not self.unit.is_followed(self.member):
            yield f"of those that began in the last {shadow.events} events"
        if shadow.is_cut:
            yield f"of the first {MOST_FOLLOWED:,} at once"
        if has_lost:
            yield "those that limits gave up are told as if they had lived until now"

    def _given_up(self, shadow: Shadow) -> tuple[Ended, ...]:
        """Return the partial matches that live in the shadow, but not within limits."""
        groups = self.lane.store.groups_of(self.member.number)
        _, refused, dropped = self.lane.machine.counts_of(groups)
        if refused + dropped == 0:
            return ()
        cells = self.lane.machine.instances.cells
        live = {_taken_by(self._left(int(cells[one, LINK]))) for one in self.instances}
        found: dict[object, Ended] = {}
        for place in shadow.open_places():
            taken = _taken_by(place.left)
            if taken and taken not in live and place.leaf is not None:
                ending = Ending("limit", place.left, (place.leaf,))
                tree, where = self.normal.tree, self.normal.where
                found[taken] = ended_of(ending, tree, where, self.form)
        return tuple(found.values())


def _taken_by(left: Left) -> tuple[tuple[int, int | None], ...]:
    return tuple((leaf.atom, placed.event.row) for leaf, placed in left.taken)
