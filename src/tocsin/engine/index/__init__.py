"""The predicate index: from an event to the filters it satisfies."""

from tocsin.engine.index.counters import Counters
from tocsin.engine.index.encode import number_rows, text_rows
from tocsin.engine.index.filter_template import FilterTemplate, NotByColumnError
from tocsin.engine.index.measures import AttributeOrder, Strategy, ValueOrder
from tocsin.engine.index.predicate_index import PredicateIndex
from tocsin.engine.index.probe import IndexArrays, probe, probe_awaited
from tocsin.engine.index.satisfied import Satisfied

__all__ = [
    "AttributeOrder",
    "Counters",
    "FilterTemplate",
    "IndexArrays",
    "NotByColumnError",
    "PredicateIndex",
    "Satisfied",
    "Strategy",
    "ValueOrder",
    "number_rows",
    "probe",
    "probe_awaited",
    "text_rows",
]
