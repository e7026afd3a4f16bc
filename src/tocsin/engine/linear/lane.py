"""Linear subscriptions that read the same streams: their filters, machines and batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tocsin.engine.columns import Vocabulary, batch_of_events
from tocsin.engine.columns.kinds import STREAM_ATTRIBUTE
from tocsin.engine.index import PredicateIndex
from tocsin.engine.linear.build import PlanBuilder
from tocsin.engine.linear.guards import GuardStore
from tocsin.engine.linear.machine import Found, LinearMachine
from tocsin.language.normal import NormalSubscription
from tocsin.language.tree import And, Attribute, Comparison, Expression, Literal
from tocsin.model.event import Event
from tocsin.plan.linear import linear_form


class LinearLane:
    """Runs linear subscriptions over batches of events of their streams.

    Parameters
    ----------
    subscriptions
        Each must have a linear form.

    Raises
    ------
    NotLinearError
        One has none.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> from tocsin.model.values import Timestamp
    >>> program = parse("SUBSCRIBE s MATCH a:[k = 'a'] -> b:[k = 'b']")
    >>> lane = LinearLane(LiveProgram(program).normal(program.subscriptions))
    >>> times = [Timestamp(i) for i in range(3)]
    >>> rows = [Event("default", i, t, t, {"k": k}) for i, (t, k) in enumerate(zip(times, "abb"))]
    >>> lane.process(rows).row.tolist()
    [0, 1]
    """

    def __init__(self, subscriptions: Sequence[NormalSubscription]) -> None:
        self.vocabulary = Vocabulary()
        self.index = PredicateIndex(self.vocabulary)
        guards = GuardStore(self.vocabulary, self.index.take_program)
        builder = PlanBuilder(self._take_filter, guards)
        for number, subscription in enumerate(subscriptions):
            builder.add(number, linear_form(subscription))
        self._filters = self.index.filter_end
        self._plan, self._guards = builder.plan(self._filters), guards.arrays()
        self._machine: LinearMachine | None = None

    @property
    def live(self) -> int:
        """How many partial matches wait."""
        return 0 if self._machine is None else self._machine.live

    def sweep(self) -> None:
        """Let go of the partial matches whose window has passed."""
        if self._machine is not None:
            self._machine.sweep()

    def _take_filter(self, condition: Expression, stream: str | None) -> int:
        if stream is not None:
            own = Comparison("=", Attribute(STREAM_ATTRIBUTE), Literal(stream))
            condition = And((own, condition))
        return self.index.add_condition(condition)

    def process(self, events: Sequence[Event]) -> Found:
        """Run a batch and return the complete matches."""
        batch = self.index.prepare(batch_of_events(events, self.vocabulary))
        satisfied = self.index.match(batch)
        width = batch.kind.shape[1]
        if self._machine is None:
            self._machine = LinearMachine(
                self._plan, self._guards, filters=self._filters, width=width
            )
        self._machine.widen(width)
        rows = np.array([NO_ROW if e.row is None else e.row for e in events], np.int64)
        found = (satisfied.offsets, satisfied.filters)
        return self._machine.process(batch.kind, batch.bits, rows, found, self.index.pools())


NO_ROW = -1
"""The row of a derived event that the clock completed."""
