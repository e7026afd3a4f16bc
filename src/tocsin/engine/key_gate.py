"""Events that a watch of one key need not see: nothing has begun with their value.

Of a batch it is known ahead which events may begin something. What else has begun is what the watch
holds now. An event of any other key, and that begins nothing, changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from tocsin.engine.columns import Batch, Vocabulary
from tocsin.engine.columns.batch import cell_of
from tocsin.engine.columns.cells import canonical_bits
from tocsin.engine.index.satisfied import EventsByFilter
from tocsin.engine.linear.arrays import Int64Array, UInt8Array
from tocsin.engine.machines.interests import Interest
from tocsin.engine.machines.keyed import keyed_form
from tocsin.engine.machines.silence import SilenceMachine
from tocsin.engine.watch import TRACED, Watch

FEW: Final = 64
"""So few events are shown to a watch without a look at their keys."""


class KeyGate(NamedTuple):
    """A watch of one key, and the attributes of the key by filter.

    Attributes
    ----------
    variable
        Has the key in all that the watch holds.
    opening, following
        The filters of events that may begin something, and of those that need a beginning.
    """

    watch: Watch
    variable: str
    opening: Mapping[int, frozenset[int]]
    following: Mapping[int, frozenset[int]]

    def needed(
        self, batch: Batch, events_of: EventsByFilter, words: Vocabulary
    ) -> Int64Array | None:
        """Return the events of a batch that the watch has to see, and the last, for its trace.

        None stands for all, where few events concern it, or fewer than it holds.
        """
        many = sum(len(events_of[number]) for number in self.following)
        held = self._held(many, words) if are_many(many) else None
        if held is None:
            return None
        width = batch.kind.shape[1]
        begun = [held, *(_keys(batch, events_of[n], a) for n, a in _pairs(self.opening, width))]
        known = np.unique(np.concatenate(begun))
        found = [events_of[number] for number in self.opening]
        for number, attribute in _pairs(self.following, width):
            events = events_of[number]
            found.append(events[np.isin(_keys(batch, events, attribute), known)])
        found.append(self._last(events_of))
        return np.unique(np.concatenate(found))

    def _last(self, events_of: EventsByFilter) -> Int64Array:
        """Return the last events that satisfy any filter."""
        last = [_tail(events_of[number]) for number in (*self.opening, *self.following)]
        return _tail(np.unique(np.concatenate(last)))

    def _held(self, most: int, words: Vocabulary) -> Int64Array | None:
        """Return the keys of all that the watch holds; None where it holds too much."""
        machine = self.watch.state.machine
        assert not isinstance(machine, SilenceMachine)
        held = [] if machine is None else list(islice(machine.instances(), most + 1))
        if len(held) > most:
            return None
        values = [one.variables[self.variable] for one in held]
        # A string that is no word is in no event of the batch.
        known = [v for v in values if not isinstance(v, str) or v in words.code_of_string]
        cells = [cell_of(value, words) for value in known]
        kinds = np.array([kind for kind, _ in cells], np.uint8)
        return _canonical(kinds, np.array([bits for _, bits in cells], np.int64))


def are_many(events: int) -> bool:
    """Say whether so many events are worth a look at their keys."""
    return events >= FEW


def gate_of(watch: Watch, numbers: Mapping[Interest, int], words: Vocabulary) -> KeyGate | None:
    """Return the gate of a watch whose interests have numbers; None where keys do not matter."""
    form = None if watch.state.world.unordered else keyed_form(watch.subscription.pattern)
    if form is None or not any(role.needs_left for role in form.roles):
        return None
    opening: dict[int, set[int]] = {}
    following: dict[int, set[int]] = {}
    for interest, attribute, needs_left in form.roles:
        own = following if needs_left else opening
        own.setdefault(numbers[interest], set()).add(words.attribute(attribute))
    for number in opening:
        opening[number] |= following.pop(number, set())
    return KeyGate(watch, form.variable, _frozen(opening), _frozen(following))


def _frozen(attributes: dict[int, set[int]]) -> dict[int, frozenset[int]]:
    return {number: frozenset(own) for number, own in attributes.items()}


def _tail(events: Int64Array) -> Int64Array:
    return events[max(len(events) - TRACED, 0) :]


def _pairs(attributes: Mapping[int, frozenset[int]], width: int) -> list[tuple[int, int]]:
    """Return filters with the attributes that events of a batch may have."""
    return [(number, a) for number, own in attributes.items() for a in own if a < width]


def _keys(batch: Batch, events: Int64Array, attribute: int) -> Int64Array:
    return _canonical(batch.kind[events, attribute], batch.bits[events, attribute])


def _canonical(kinds: UInt8Array, bits: Int64Array) -> Int64Array:
    """Return bits that are the same for equal values, and maybe for others of another kind."""
    found: Int64Array = canonical_bits(kinds, bits)
    return found
