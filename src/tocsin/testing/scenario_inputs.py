"""What a case reads: rows or files of events, and a parameter table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from tocsin.language.explain.normal_form import default_stream
from tocsin.language.load import load_program
from tocsin.language.tree import Program
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.event import Schema
from tocsin.model.read import Row, read_events
from tocsin.model.values import Kind
from tocsin.testing.scenario_file import Case
from tocsin.testing.scenario_tables import TableRow, read_table_for, refuse_empty

AnyRow: TypeAlias = Mapping[str, object] | DeadLetter


def events_of(case: Case) -> Iterable[AnyRow]:
    """Return the rows of a case."""
    if not case.event_files:
        return case.rows
    stream = case.options.get("stream")
    schema = cell_types(
        load_program(case.subscriptions), stream if isinstance(stream, str) else None
    )
    return joined(read_events(path, schema=schema) for path in case.event_files)


def table_of(case: Case) -> list[TableRow] | None:
    """Return the parameter table of a case, None where it has none.

    Raises
    ------
    ConfigurationError
        It cannot be read or has no rows.
    """
    if isinstance(case.table, Path):
        return read_table_for(load_program(case.subscriptions), case.table)
    if case.table is None:
        return None
    refuse_empty(case.table, "the table")
    return list(case.table)


def joined(files: Iterable[Iterable[Row]]) -> Iterator[AnyRow]:
    """Give the rows of several files as those of one: dead letters get their place in the whole.

    Examples
    --------
    >>> letter = DeadLetter(0, "no JSON", "{", "bad_json")
    >>> [row for row in joined([[(0, {"x": 1})], [(0, letter)]])][1].row
    1
    """
    place = 0
    for rows in files:
        for _, row in rows:
            if isinstance(row, DeadLetter) and row.row != place:
                yield dataclasses.replace(row, row=place)
            else:
                yield row
            place += 1


def cell_types(program: Program, stream: str | None) -> Schema:
    """Return the declared types by which the cells of a CSV file are read.

    Rows of several streams may stand in one file: where two declare an attribute differently, the
    default stream decides.
    """
    default = stream or default_stream(program)
    kinds: dict[str, Kind] = {}
    for declared in sorted(program.streams, key=lambda found: found.name == default):
        kinds.update({attribute.name: attribute.kind for attribute in declared.attributes})
    return Schema(kinds)
