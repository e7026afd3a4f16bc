"""The predicate index: from an event to the filters it satisfies."""

from tocsin.engine.index.encode import number_rows, text_rows
from tocsin.engine.index.measures import AttributeOrder, Strategy, ValueOrder
from tocsin.engine.index.predicate_index import Counters, PredicateIndex, Satisfied
from tocsin.engine.index.probe import IndexArrays, probe

__all__ = [
    "AttributeOrder",
    "Counters",
    "IndexArrays",
    "PredicateIndex",
    "Satisfied",
    "Strategy",
    "ValueOrder",
    "number_rows",
    "probe",
    "text_rows",
]
