"""What a case reads: rows or files of events, and a parameter table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from tocsin.errors import ConfigurationError
from tocsin.language.explain.normal_form import default_stream
from tocsin.language.load import load_program
from tocsin.language.tree import Program
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.event import Schema
from tocsin.model.read import Row, read_events
from tocsin.model.values import Kind
from tocsin.testing.scenario_file import Case

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


def table_of(case: Case) -> object:
    """Return the parameter table of a case, None where it has none."""
    if isinstance(case.table, Path):
        return read_table(case.table)
    return None if case.table is None else list(case.table)


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


def read_table(path: Path) -> list[Mapping[str, object]]:
    """Read a parameter table from a CSV, JSONL, Parquet or Arrow file.

    Raises
    ------
    ConfigurationError
        The file or one of its rows cannot be read.
    """
    rows = []
    for number, row in read_events(path):
        if isinstance(row, DeadLetter):
            msg = f"row {number} of the table {path} cannot be read: {row.reason}"
            raise ConfigurationError(msg)
        rows.append(row)
    return rows
