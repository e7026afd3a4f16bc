"""The predicate index: which of very many filters an event satisfies."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.cold_start import tell_if_cold
from tocsin.engine.columns import Batch, Vocabulary
from tocsin.engine.columns.batch import UInt8Array
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.counters import COUNTERS, Counters
from tocsin.engine.index.encode import Encoder
from tocsin.engine.index.few import BLOCK, Answers, Few, few_of, match_few
from tocsin.engine.index.layers import Layers
from tocsin.engine.index.measures import Strategy
from tocsin.engine.index.pools import Pools, PoolStore
from tocsin.engine.index.preparation import prepare_batch
from tocsin.engine.index.probe import IndexArrays, probe_batch
from tocsin.engine.index.registry import Registry
from tocsin.engine.index.satisfied import Satisfied
from tocsin.engine.index.statistics import Statistics
from tocsin.language.tree import Expression
from tocsin.plan.predicates import Conjunction, Filter, Program, to_filter

_CHECK_EVERY: Final = 4096
_DRIFT: Final = 0.3
_EVERYONE: Final = np.zeros(0, np.uint8)


class PredicateIndex:
    """Filters over one event, found by access path and verified only where they may hold.

    Equal filters have one number, equal conjunctions and literals are stored once. Filters come
    and go between batches: new ones are scanned until they are many enough to be laid out.

    Parameters
    ----------
    vocabulary
        Gives attributes and strings their numbers; batches must come from the same one.
    strategy
        How values and attributes are ordered. Every strategy gives the same answers.

    Examples
    --------
    >>> from tocsin.engine.columns import batch_of_events
    >>> from tocsin.language.parser import parse_expression
    >>> from tocsin.model.event import Event
    >>> from tocsin.model.values import Timestamp
    >>> words = Vocabulary()
    >>> index = PredicateIndex(words)
    >>> index.add_condition(parse_expression("symbol = 'ACME' AND price > 10"))
    0
    >>> event = Event("ticks", 0, Timestamp(0), Timestamp(0), {"symbol": "ACME", "price": 12})
    >>> index.match(batch_of_events([event], words)).of(0)
    [0]
    """

    def __init__(self, vocabulary: Vocabulary, *, strategy: Strategy | None = None) -> None:
        self.vocabulary = vocabulary
        self._pool = PoolStore(vocabulary)
        self._encoder = Encoder(self._pool)
        self._registry = Registry(self._encoder)
        self._statistics = Statistics()
        self._layers = Layers(self._registry, self._statistics, strategy or Strategy())
        self._counters = np.zeros(COUNTERS, np.int64)
        self._arrays: IndexArrays | None = None
        self._few: Few | None = None
        self._spans = np.zeros((0, 2), np.int64)
        self._left = np.zeros((0, 2), np.int32)
        self._next_check = _CHECK_EVERY // 8

    def add(self, condition: Filter) -> int:
        """Add a filter; return its number, the same for equal filters."""
        parts = [self._encoder.rows(conjunction) for conjunction in condition]
        rows = np.array([row for part in parts for row in part], np.int64).reshape(-1, 3)
        starts = np.cumsum([0, *(len(part) for part in parts)]).astype(np.int64)
        number, conjunctions, new = self._registry.add_filter(rows, starts)
        self._layers.added(conjunctions, new)
        self._arrays = None
        return number

    def add_condition(self, condition: Expression) -> int:
        """Add the static part of a condition, definitions inlined."""
        return self.add(to_filter(condition))

    def add_rows(self, rows: Int64Array, starts: Int64Array) -> Int32Array:
        """Add many filters at once, each a conjunction of encoded literals.

        Filter i has `rows[starts[i]:starts[i + 1]]`, made by `number_rows` and `text_rows`.
        """
        numbers, new = self._registry.add_rows(rows, starts)
        self._layers.added(self._registry.only_conjunction[numbers], new)
        self._arrays = None
        return numbers

    def add_alike(self, rows: Int64Array, shared: Conjunction) -> Int32Array:
        """Add filters that share literals: filter i has them and `rows[:, i]`, which are encoded.

        The literals in `rows` are intervals, which point to nothing.
        """
        common = self._encoder.rows(shared)
        tiled = np.empty((rows.shape[1], len(rows) + len(common), 3), np.int64)
        tiled[:, : len(rows)] = rows.transpose(1, 0, 2)
        tiled[:, len(rows) :] = np.array(common, np.int64).reshape(-1, 3)
        starts = np.arange(len(tiled) + 1) * tiled.shape[1]
        numbers, new = self._registry.add_rows(tiled.reshape(-1, 3), starts, are_counted=False)
        for row in common:
            self._encoder.release(row)
        self._layers.added(self._registry.only_conjunction[numbers], new)
        self._arrays = None
        return numbers

    def add_often(self, condition: Filter, count: int) -> Int32Array:
        """Add one filter several times; return its number as often."""
        if count == 0:
            return np.zeros(0, np.int32)
        number = self.add(condition)
        self._registry.add_uses(number, count - 1)
        return np.full(count, number, np.int32)

    def take_program(self, program: Program) -> tuple[int, int]:
        """Store a program beside the filters; `pools` has it from then on."""
        self._arrays = None
        return self._pool.take_program(program)

    def give_program(self, start: int) -> None:
        """Count one use less of the program that starts there."""
        self._arrays = None
        self._pool.give_back("program", start)

    def pools(self) -> Pools:
        """Return what programs read; ask again after each `prepare`, `add` and `remove`."""
        return self.arrays().pools

    def remove(self, number: int) -> None:
        """Take a filter away, as often as it was added.

        Raises
        ------
        KeyError
            There is no such filter.
        """
        self.remove_rows([number])

    def remove_rows(self, numbers: npt.ArrayLike) -> None:
        """Take many filters away, each as often as it stands in `numbers`.

        Raises
        ------
        KeyError
            One of them is not there, or not so often; all stay then.
        """
        chosen = np.asarray(numbers, np.int64)
        self._layers.removed(self._registry.remove(chosen).tolist())
        self._arrays = None

    @property
    def filter_count(self) -> int:
        """How many different filters there are."""
        return self._registry.filter_count

    @property
    def filter_end(self) -> int:
        """One more than the largest number of a filter: the room that `probe` needs."""
        return self._registry.filter_end

    @property
    def nbytes(self) -> int:
        """The memory of its arrays."""
        return self._registry.nbytes + self._layers.nbytes + self._spans.nbytes + self._left.nbytes

    @property
    def counters(self) -> Counters:
        """What it has done so far."""
        return Counters(*self._counters.tolist())

    @property
    def paths(self) -> dict[str, int]:
        """How many keys, ranges and scanned entries the laid-out part has."""
        return self._layers.paths()

    @property
    def layouts(self) -> int:
        """How often the main part was laid out."""
        return self._layers.layouts

    def reorder(self) -> None:
        """Lay everything out again after the distribution of the events seen."""
        self._layers.rebuild()
        self._arrays = None

    def string_codes(self) -> Int64Array:
        """Return the codes of the strings that filters and programs name."""
        return np.concatenate([self._registry.conjunctions.string_codes(), self._pool.codes()])

    def forget_strings(self, free: Int64Array) -> None:
        """Forget what is known of strings whose codes will be given to others."""
        self._pool.forget(free)
        self._arrays = None

    def prepare(self, batch: Batch) -> Batch:
        """Return a batch that `probe` can read: wide enough, every string asked about.

        It also observes the events, and lays the index out anew where their distribution drifted.
        """
        self._statistics.observe(batch)
        if self._statistics.events >= self._next_check:
            self._next_check = self._statistics.events + _CHECK_EVERY
            if self._layers.has_drifted(_DRIFT):
                self.reorder()
        # Filters go, and their tests of strings, before strings are asked about.
        arrays = self.arrays()
        ready, changed = prepare_batch(batch, self._pool)
        if changed:
            self._arrays = arrays._replace(pools=self._pool.pools())
        return ready

    def arrays(self) -> IndexArrays:
        """Return what `probe` reads; ask again after each `prepare`, `add` and `remove`."""
        if self._arrays is None:
            layout = self._layers.layout(self._pool.choice_rows())
            self._few = few_of(self._registry)
            self._arrays = IndexArrays(
                layout.main, layout.delta, layout.fresh, layout.fresh_end,
                self._registry.owners, self._pool.pools(), self._counters,
                *self._room(), _EVERYONE,
            )  # fmt: skip
        return self._arrays

    def _room(self) -> tuple[Int64Array, Int32Array]:
        """Return room for the spans and the survivors that one event can have in a segment."""
        spans, entries = self._layers.room()
        fits = spans <= len(self._spans) <= 4 * spans and entries <= len(self._left) <= 4 * entries
        if not fits:
            self._spans = np.zeros((spans, 2), np.int64)
            self._left = np.zeros((entries, 2), np.int32)
        return self._spans, self._left

    def match(self, batch: Batch) -> Satisfied:
        """Return the filters that each event satisfies."""
        ready = self.prepare(batch)
        return self.search(ready.kind, ready.bits)

    def match_prepared(self, kind: UInt8Array, bits: Int64Array) -> Satisfied:
        """Return the filters that each event satisfies, by the cells of a batch from `prepare`."""
        answers = self.answers(kind, bits)
        return self.search(kind, bits) if answers is None else answers.satisfied()

    def answers(self, kind: UInt8Array, bits: Int64Array) -> Answers | None:
        """Return the same in the bits of words where there are few filters, otherwise None.

        They are asked column by column, which is several times as fast as a search.
        """
        arrays, few = self.arrays(), self._few
        if few is None:
            return None
        tell_if_cold(match_few)
        words, masks = np.empty(len(kind), np.uint64), np.empty(BLOCK, np.uint64)
        match_few(few, kind, bits, arrays.pools, self._counters, masks, words)
        return Answers(words, few.filters)

    def search(self, kind: UInt8Array, bits: Int64Array) -> Satisfied:
        """Return the same by hash, ranges and texts, event by event."""
        tell_if_cold(probe_batch)
        arrays = self.arrays()
        offsets = np.zeros(len(kind) + 1, np.int64)
        out = np.empty(max(self.filter_end, 1), np.int32)
        found = np.empty(4 * len(kind) + 16, np.int32)
        event = probe_batch(arrays, kind, bits, 0, offsets, found, out)
        while event < len(kind):  # the filters of this event did not fit
            used, end = int(offsets[event]), int(offsets[event + 1])
            more = np.empty(2 * end, np.int32)
            more[:used], more[used:end] = found[:used], out[: end - used]
            found = more
            event = probe_batch(arrays, kind, bits, event + 1, offsets, found, out)
        return Satisfied(offsets, found[: offsets[-1]])
