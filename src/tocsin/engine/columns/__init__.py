"""Columnar batches: events as arrays, strings as codes."""

from tocsin.engine.columns.arrow import batch_of_arrow
from tocsin.engine.columns.batch import Batch, batch_of_cells, batch_of_events, cell_of, value_of
from tocsin.engine.columns.decode import events_of
from tocsin.engine.columns.intake import TakenTable, take_table
from tocsin.engine.columns.vocabulary import TextArrays, Vocabulary

__all__ = [
    "Batch",
    "TakenTable",
    "TextArrays",
    "Vocabulary",
    "batch_of_arrow",
    "batch_of_cells",
    "batch_of_events",
    "cell_of",
    "events_of",
    "take_table",
    "value_of",
]
