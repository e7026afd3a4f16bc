"""Iterations: every number of repetitions is a match, and UNTIL ends them."""

from __future__ import annotations

from tocsin.engine.comparisons import equal
from tocsin.engine.expressions import Condition
from tocsin.engine.machines.follow import Link
from tocsin.engine.machines.instance import Step
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Part, Reach
from tocsin.engine.machines.sequence import SequencePart
from tocsin.engine.state import Found, Left
from tocsin.language.normal import Repeated
from tocsin.model.arithmetic import calculated
from tocsin.model.values import Duration

Growth = tuple[str, int | float | Duration]


class IterationPart(SequencePart):
    """`p{m,n} BY op UNTIL (…)`, and `repeat` in sequence."""

    def __init__(
        self, node: Repeated, part: Part, by: Link, *, until: Condition | None, reach: Reach
    ) -> None:
        self.part = part
        self.low = 1 if part.can_be_empty else max(node.low, 1)
        self.high = node.high
        self.aliases = node.aliases
        self.growth = node.step
        self.until = until
        self.until_text = node.until
        self.variants = part.variants
        self.waits_us = part.waits_us
        self.can_be_empty = node.low == 0 or part.can_be_empty
        self.reach = reach.with_waits(self.waits_us)
        self._first: tuple[Step, ...] = ((1, part, None),)
        self._by = by
        self._awaited = by.awaited(part) if until is None else None

    def steps(self, done: int) -> tuple[Step, ...]:
        """Return one more repetition, where there may be one."""
        if done == 0:
            return self._first
        if self.high is not None and done >= self.high:
            return ()
        return ((done + 1, self.part, self._by),)

    def awaited_after(self, done: int) -> tuple[LeafPart, ...] | None:
        """An event that satisfies UNTIL matters, whatever comes next."""
        del done
        return self._awaited

    def is_complete(self, done: int) -> bool:
        """Say whether this many repetitions are enough."""
        return done >= self.low

    def left_of_next(self, left: Left) -> Left:
        """`prev`, `first` and aggregates speak of the repetitions before the current one."""
        return left.in_repetition(self.aliases)

    def may_grow(self, before: Found, found: Found) -> bool:
        """`repeat`: the attribute is larger by the step than in the repetition before."""
        return self.growth is None or has_grown(self.growth, before, found)


def has_grown(growth: Growth, before: Found, found: Found) -> bool:
    """Say whether an attribute has grown by a step from one match to another."""
    attribute, amount = growth
    old = before.taken[-1][1].event.values.get(attribute)
    new = found.taken[-1][1].event.values.get(attribute)
    return equal(new, calculated("+", old, amount))
