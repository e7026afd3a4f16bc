"""Linear subscriptions that read the same streams: their filters, plan and partial matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tocsin.engine.cold_start import tell_if_cold
from tocsin.engine.columns import Batch, Vocabulary
from tocsin.engine.index import NotByColumnError, PredicateIndex
from tocsin.engine.index.hashing import next_size, sized
from tocsin.engine.linear.arrays import (
    NO_ACTIVE_STATES,
    NO_EDGE_INDEX,
    NONE,
    SINGLE_STEP,
    Events,
    Int32Array,
    Int64Array,
    slice_of,
)
from tocsin.engine.linear.chains import Chains, chains_of
from tocsin.engine.linear.evaluation import Ahead, Evaluation, SingleStep
from tocsin.engine.linear.found import Found, as_told, in_order, merged
from tocsin.engine.linear.guards import GuardStore
from tocsin.engine.linear.key_order import Arranged, arranged, common_key, key_order
from tocsin.engine.linear.look_ahead import look_ahead
from tocsin.engine.linear.machine import LinearMachine
from tocsin.engine.linear.numbering import PlainNumbering, TableNumbering
from tocsin.engine.linear.plan_store import PlanStore
from tocsin.engine.linear.process import process
from tocsin.engine.linear.recipe import Numbering, Recipe, recipe_of
from tocsin.engine.options import Options
from tocsin.plan.linear import Linear

_ALL_BEGIN: Final = np.zeros(0, np.uint8)
_PROBED: Final = 16_384
"""A larger batch is begun with so many events where it is not known yet how much will wait."""
_PAUSE: Final = 32
"""So many batches are not looked at ahead where that left most events of one."""
_FEW_BITS: Final = 3
"""A batch is not worth arranging if it has less than an eighth of what must wait."""


class Stopped(NamedTuple):
    """A subscription that limits have stopped: why, and how many instances it had."""

    number: int
    reason: str
    dropped: int


class LinearLane:
    """Runs linear subscriptions over batches of events of their streams.

    Parameters
    ----------
    vocabulary
        Numbers attributes and strings; batches must come from the same one.
    options
        Which indexes to use.

    Examples
    --------
    >>> from tocsin.engine.columns import batch_of_events
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> from tocsin.model.event import Event
    >>> from tocsin.model.values import Timestamp
    >>> from tocsin.plan.linear import linear_form
    >>> program = parse("SUBSCRIBE s MATCH a:[k = 'a'] -> b:[k = 'b']")
    >>> (normal,) = LiveProgram(program).normal(program.subscriptions)
    >>> words = Vocabulary()
    >>> lane = LinearLane(words)
    >>> lane.add(linear_form(normal), order=0)
    0
    >>> times = [Timestamp(i) for i in range(3)]
    >>> events = [Event("default", i, t, t, {"k": k}) for i, (t, k) in enumerate(zip(times, "abb"))]
    >>> found = lane.process(batch_of_events(events, words), np.arange(3))
    >>> [part.rows().tolist() for part in found]
    [[0, 1]]
    """

    def __init__(self, vocabulary: Vocabulary, options: Options | None = None) -> None:
        tell_if_cold(process)
        self.options = options or Options()
        self.vocabulary = vocabulary
        self.index = PredicateIndex(vocabulary)
        self.guards = GuardStore(vocabulary, self.index.take_program, self.index.give_program)
        self.store = PlanStore(self, queues=self.options.active_states)
        self.machine = LinearMachine(self._switches())
        self.order_of: Int64Array = np.zeros(8, np.int64)
        self._gone: list[int] = []
        self._stopped: list[Stopped] = []
        self._owned = not self.options.sharing
        self._policy = "refuse"
        self._has_changed = True
        self._common_key: int | None = None  # not known yet
        self._chains: Chains | None = None
        self._pause = 0  # batches for which looking ahead is not tried again

    def _switches(self) -> int:
        switches = 0 if self.options.active_states else NO_ACTIVE_STATES
        switches |= 0 if self.options.edge_index else NO_EDGE_INDEX
        return switches | (SINGLE_STEP if self.options.single_step else 0)

    @property
    def size(self) -> int:
        """How many subscriptions there are."""
        return self.store.size

    @property
    def nbytes(self) -> int:
        """The memory of plan, index and state."""
        parts = (self.store.nbytes, self.index.nbytes, self.guards.nbytes, self.machine.nbytes)
        return sum(parts) + int(self.order_of.nbytes)

    def add(self, form: Linear, *, order: int) -> int:
        """Add a subscription; return its number in the lane.

        Events count for it from now on. `order` is its place among all subscriptions.
        """
        recipe = self.recipe(form)
        return int(self._added(recipe, np.array([order], np.int64))[0])

    def recipe(self, form: Linear) -> Recipe:
        """Return a form in the numbers of this lane; each counts one use."""
        numbering = PlainNumbering(self.index, self.guards)
        return self._recipe(form, numbering)

    def _recipe(self, form: Linear, numbering: Numbering) -> Recipe:
        return recipe_of(form, numbering, by_key=self.options.instance_index)

    def add_table(self, form: Linear, columns: Mapping[str, Any], orders: Int64Array) -> Int32Array:
        """Add a subscription for each row of a table; return their numbers.

        Raises
        ------
        NotByColumnError
            A filter cannot be filled in by column; nothing has changed then.
        """
        numbering = TableNumbering(self.index, self.guards, columns, len(orders))
        try:
            recipe = self._recipe(form, numbering)
        except NotByColumnError:
            numbering.give_back()
            raise
        return self._added(recipe, orders)

    def _added(self, recipe: Recipe, orders: Int64Array) -> Int32Array:
        self._close_gone()
        own = orders if self._owned else None
        made = self.machine.position
        numbers = self.store.add(recipe, len(orders), made=made, own=own)
        if self.store.subscriptions.end > len(self.order_of):
            size = next_size(len(self.order_of), self.store.subscriptions.end)
            self.order_of = sized(self.order_of, size, 0)
        self.order_of[numbers] = orders
        self._has_changed = True
        return numbers

    def nodes_of(self, form: Linear, order: int) -> list[int]:
        """Return the nodes of a subscription that is in the plan, move by move."""
        recipe = self.recipe(form)
        own = np.array([order], np.int64) if self._owned else None
        nodes = self.store.find(recipe, 1, own)
        self.give_guards(np.array([recipe.where], np.int64))
        return [int(one[0]) for one in nodes]

    def made(self) -> list[tuple[int, int]]:
        """Return from which positions on events count for subscriptions.

        Each holds from an order on; those that were made together are told together.
        """
        numbers = self.store.numbers()
        numbers = numbers[np.argsort(self.order_of[numbers])]
        made, orders = self.store.made[numbers], self.order_of[numbers]
        first = np.flatnonzero(np.diff(made, prepend=NONE))
        return list(zip(orders[first].tolist(), made[first].tolist(), strict=True))

    def set_made(self, made: list[tuple[int, int]]) -> None:
        """Say from which positions on events count, as `made` told it."""
        numbers = self.store.numbers()
        if len(numbers):
            orders, positions = np.array(made, np.int64).T
            places = np.searchsorted(orders, self.order_of[numbers], side="right") - 1
            self.store.made[numbers] = positions[places]

    def has_changed(self) -> None:
        """Let the next `refit` look at everything anew."""
        self._has_changed = True

    def remove(self, number: int) -> None:
        """Take a subscription out, with the instances that nobody else needs."""
        self._gone += self.store.remove(number)
        self._has_changed = True
        if self.size == 0:
            self._reset()

    def _reset(self) -> None:
        """Nothing is left: give the memory back, and keep the count of events."""
        self._gone.clear()
        self.machine = self.machine.emptied()
        self.order_of = np.zeros(8, np.int64)

    def _close_gone(self) -> None:
        """Close the instances of groups that are no more, before their numbers come again."""
        known = len(self.machine.instances.waiting)  # the machine has not seen those beyond
        seen = [group for group in self._gone if group < known]
        if seen and self.machine.plan is not None:
            self.machine.close_groups(seen)
        self._gone.clear()

    def give_filters(self, numbers: Int64Array) -> None:
        """Count one use less of each filter."""
        if len(numbers) == 1:
            self.index.remove(int(numbers[0]))
        elif len(numbers):
            self.index.remove_rows(numbers)

    def give_guards(self, numbers: Int64Array) -> None:
        """Count one use less of each guard."""
        for number in numbers.tolist():
            self.guards.give_back(int(number))

    def refit(self) -> None:
        """Let the machine see what has changed."""
        self._close_gone()
        if self._has_changed:
            filters = self.index.filter_end
            self.machine.refit(self.store.plan(filters), self.guards.arrays(), filters=filters)
            if self.store.take_moved():
                self.machine.rehash()
            self._has_changed, self._common_key = False, None

    def sweep(self) -> None:
        """Let go of the partial matches whose window has passed."""
        self.refit()
        self.machine.sweep()

    def process(
        self,
        batch: Batch,
        rows: Int64Array,
        steps: Int64Array | None = None,
        positions: Int64Array | None = None,
    ) -> list[Found]:
        """Run a batch and return the complete matches, in parts, in the order of notifications.

        Parameters
        ----------
        rows, steps
            For each event its row of the input, and its step in the course of a run.
        positions
            Where each event stands in the whole stream, if others of it do not come here.
        """
        self.refit()
        if positions is None:
            positions = np.arange(self.machine.position, self.machine.position + batch.size)
        if self.size == 0:
            self.machine.pass_to(int(positions[-1]) + 1)
            return []
        ready = self.index.prepare(batch)
        steps = rows if steps is None else steps
        events = (ready.kind, ready.bits, rows, steps, positions, _ALL_BEGIN)
        if self.options.single_step:
            return self._run(events, SingleStep(self.index, ready))
        self._pause = max(self._pause - 1, 0)
        first = len(rows)
        if len(rows) > _PROBED and self.key() == NONE and self._common_key not in (None, NONE):
            first = _PROBED  # by then it is known how much waits
        found = self._run_some(events, 0, first)
        return found + self._run_some(events, first, len(rows))

    def _run_some(self, events: Events, begin: int, end: int) -> list[Found]:
        """Run some events of a batch, key by key where that is worth it."""
        size = end - begin
        if size == 0:
            return []
        some = slice_of(events, begin, end)
        is_worth_it = size > 1 and size >= self.options.by_key_from >> _FEW_BITS
        key = self.key() if is_worth_it else NONE
        if key != NONE:
            found = self._run_by_key(some, key)
        else:
            satisfied = self.index.match_prepared(some[0], some[1])
            found = self._run(some, Ahead(satisfied, self.index.pools()))
        return [part._replace(event=part.event + np.int32(begin)) for part in found]

    def key(self) -> int:
        """Return the attribute by which events are arranged now, NONE where they are not."""
        machine, options = self.machine, self.options
        if options.single_step or machine.is_limited or machine.guards is None:
            return NONE
        if self._common_key is None:
            self._common_key = common_key(self.store, machine.guards.keys)
            self._chains = None
            if self._common_key != NONE:
                steps = self.index.pools().steps
                self._chains = chains_of(self.store, machine.guards, steps)
        is_small = machine.live < options.by_key_from
        return NONE if is_small and not self._looks_ahead() else self._common_key

    def _looks_ahead(self) -> bool:
        return self._chains is not None and self._pause == 0

    def _run_by_key(self, events: Events, key: int) -> list[Found]:
        """Run a batch so that the events of a key come together."""
        by_key, way, ahead = self._by_key(events, key)
        try:
            parts = self._run(by_key.events, way, by_key)
        finally:
            self.machine.stand(by_key, len(by_key.order))
        found = [in_order(parts, by_key.order)] if parts else []
        if ahead is None:
            return found
        return [merged(found[0], ahead, self.order_of) if found else as_told(ahead, self.order_of)]

    def _by_key(self, events: Events, key: int) -> tuple[Arranged, Evaluation, Found | None]:
        """Return the events that must be processed, key by key, and how to evaluate them.

        With them come the matches that are found without.
        """
        machine = self.machine
        answers = self.index.answers(*events[:2]) if self._looks_ahead() else None
        if answers is None:
            keys = key_order(events, key, np.arange(len(events[0])))
            every = arranged(events, keys, _ALL_BEGIN, machine.now_us)
            satisfied = self.index.match_prepared(*every.events[:2])
            return every, Ahead(satisfied, self.index.pools()), None
        assert self._chains is not None
        assert machine.plan is not None
        assert machine.guards is not None
        known = machine.plan, machine.guards, self.index.pools()
        chosen, begins, found = look_ahead(events, key, answers, self._chains, known)
        self._pause = _PAUSE if 2 * len(chosen) > len(events[0]) else 0
        keys = key_order(events, key, chosen)
        some = arranged(events, keys, begins[keys.places], machine.now_us)
        satisfied = answers._replace(words=answers.words[keys.order]).satisfied()
        return some, Ahead(satisfied, self.index.pools()), found

    def _run(self, events: Events, way: Evaluation, by_key: Arranged | None = None) -> list[Found]:
        """Run events in the order given, and return matches in it."""
        parts: list[Found] = []
        done, size = 0, len(events[0])
        while done < size:
            if self.size == 0:  # limits have stopped all
                self.machine.pass_to(int(events[4][-1]) + 1)
                break
            self.machine.widen(events[0].shape[1])
            done = way.run(self.machine, done, events)
            if by_key is not None:
                self.machine.stand(by_key, done)
            part = self.machine.drain(self.order_of)
            if part.size:
                parts.append(part if by_key is None else part.alone())
            if done < size:
                self._make_room()
        return parts

    def own_states(self) -> None:
        """Let each subscription have states of its own, so that its instances can be counted."""
        self._owned = True

    def limit(self, total: int | None, per_subscription: int | None, policy: str) -> None:
        """Keep the number of instances within limits; a policy says what happens beyond."""
        self._policy = policy
        refuses = policy == "refuse"
        self.machine.set_limits(total, per_subscription, refuses=refuses)

    def take_stopped(self) -> list[Stopped]:
        """Return the subscriptions that limits have stopped since the last time."""
        stopped, self._stopped = self._stopped, []
        return stopped

    def _make_room(self) -> None:
        fault = self.machine.take_fault()
        if fault == NONE:
            self.machine.make_room()
        elif self._policy == "stop":
            for number in self.store.through(fault):
                self._stop(number)
            self.refit()
        else:
            owner = int(self.store.groups["owner"][fault])
            every = self.machine.is_full() or owner == NONE
            self.machine.drop_oldest(None if every else self.store.groups_of(owner))

    def _stop(self, number: int) -> None:
        groups = self.store.groups_of(number)
        dropped = int(self.machine.instances.waiting[groups].sum())
        self._stopped.append(Stopped(number, self.machine.excess(), dropped))
        self.remove(number)
