"""A batch made ready for kernels: strings asked about, folded, and tests of two strings done."""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns import Batch, value_of
from tocsin.engine.columns.kinds import BOOLEAN, MISSING, STRING
from tocsin.engine.index import interpret
from tocsin.engine.index.pools import Pools, PoolStore
from tocsin.engine.index.texts import PROGRAMS


def prepare_batch(batch: Batch, store: PoolStore) -> tuple[Batch, bool]:
    """Return a batch that kernels can read, and whether arrays of the pools changed."""
    batch = batch.widened(store.vocabulary.width)
    changed = False
    for attribute, lane in store.texts.lanes().items():
        codes = batch.bits[batch.kind[:, attribute] == STRING, attribute]
        if len(codes):
            changed |= store.texts.ask(lane, codes)
    if store.asks_strings:
        changed |= _ask_programs(batch, store)
    changed |= store.is_behind
    if store.pairs:
        _ask_pairs(batch, store)
    return batch, changed


def _ask_programs(batch: Batch, store: PoolStore) -> bool:
    """Make known what programs ask of the strings of a batch; say whether anything was unknown."""
    codes = set(batch.bits[batch.kind == STRING].tolist()) | store.constant_codes()
    every = np.fromiter(store.vocabulary.closure(codes), np.int64)
    changed = not store.knows_forms(every)
    if store.texts.asks_programs:
        changed |= store.texts.ask(PROGRAMS, every)
    return changed


def _ask_pairs(batch: Batch, store: PoolStore) -> None:
    """Write the answers of the tests of two strings into their own columns."""
    pools = store.pools()
    for test, (column, text, pattern) in store.pairs.items():
        for row in range(batch.size):
            found = _text_at(batch, row, text, pools, store)
            other = _text_at(batch, row, pattern, pools, store)
            passes = found is not None and other is not None and test.holds(found, other)
            batch.kind[row, column], batch.bits[row, column] = BOOLEAN, passes


def _text_at(
    batch: Batch, row: int, program: tuple[int, int], pools: Pools, store: PoolStore
) -> str | None:
    """Return the string that a program makes of an event, or None where it makes none."""
    pools.stack_kind[0] = MISSING
    interpret.run_program(*program, batch.kind[row], batch.bits[row], pools)
    if pools.stack_kind[0] != STRING:
        return None
    return str(value_of(STRING, int(pools.stack_bits[0]), store.vocabulary))
