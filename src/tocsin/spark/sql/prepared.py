"""What the table function answers to Spark: which columns it needs, and rows in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type
from pyspark.sql.types import DataType, TimestampNTZType, TimestampType
from pyspark.sql.udtf import AnalyzeResult, OrderingColumn, PartitioningColumn, SelectedColumn

from tocsin.errors import ConfigurationError
from tocsin.language.live import LiveProgram
from tocsin.language.tree import Program
from tocsin.model.dead_letter import DeadLetterKind
from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.plan.partition import PartitionPlan, Strategy, Unit, plan_partitions
from tocsin.spark.declared import doubtful_columns
from tocsin.spark.intake import content_hash_text, quoted, zoneless_microseconds
from tocsin.spark.reading import check_contradictions, check_declared_times
from tocsin.spark.schema import END, STREAM
from tocsin.spark.sql.asked import Asked, DeadLetters, check_column


@dataclass
class Prepared(AnalyzeResult):
    """The answer to Spark, and what the function needs to know when rows come.

    Attributes
    ----------
    program, time
        For the engine.
    columns
        Names and types of the columns that go to the engine, in the order in which they come.
    needed
        Which columns a row must have to be an event: their places, and the kind and the reason of
        the dead letter that it is without.
    row
        The place of the column that numbers rows.
    dead_letters
        What becomes of rows that are no events.
    """

    program: Program = field(default_factory=lambda: Program(()))
    time: str = ""
    columns: Sequence[tuple[str, Any]] = ()
    needed: Sequence[tuple[int, DeadLetterKind, str]] = ()
    row: int | None = None
    dead_letters: DeadLetters = "fail"


def prepare(asked: Asked) -> Prepared:
    """Return which columns a call needs, and in which order its rows must come.

    Raises
    ------
    ConfigurationError
        A subscription reads a column or a stream that is not there, or cannot be split by the key.
    """
    plan = plan_partitions(asked.program)
    derived = {one.into for one in asked.program.subscriptions if one.into is not None}
    check_declared_times(asked.program, asked.time, derived)
    if asked.streams is None:
        default = LiveProgram(asked.program).default_stream
        _check_streams(asked.program, plan, default)
        check_contradictions(asked.program, asked.schema, default)
    if asked.key is not None:
        for unit in plan.units:
            _check_key(unit, asked.key)
    names = _names(asked, plan)
    return Prepared(
        from_arrow_schema(NOTIFICATION_SCHEMA),  # text of SQL would need a JVM
        withSinglePartition=asked.key is None,
        partitionBy=[] if asked.key is None else [PartitioningColumn(quoted(asked.key))],
        orderBy=_order(asked),
        select=[SelectedColumn(of, f"c{n}") for n, of in enumerate(_selected(asked, names))],
        program=asked.program,
        time=names[asked.time],
        columns=[(name, _arrow(asked.schema[names[name]].dataType)) for name in names],
        needed=list(_needed(asked, names)),
        row=None if asked.row is None else len(names),
        dead_letters=asked.dead_letters,
    )


def _needed(asked: Asked, names: Mapping[str, str]) -> Iterator[tuple[int, DeadLetterKind, str]]:
    """Yield what `match` asks of a row, too, and in its words."""
    for place, (name, column) in enumerate(names.items()):
        if name in (asked.time, END):
            yield place, "bad_time", f"the column '{column}' is null"
        elif name == STREAM:
            yield place, "bad_control", "the row names no stream"
    for place, column in enumerate(filter(None, (asked.row, asked.order)), len(names)):
        yield place, "bad_control", f"the column '{column}' is null"


def _check_streams(program: Program, plan: PartitionPlan, default: str) -> None:
    """Refuse a subscription that never sees a row, since all of them are of one stream."""
    derived = {one.into for one in program.subscriptions}
    for unit in plan.units:
        others = set(unit.needs.streams) - derived
        if others and default not in others:
            msg = (
                f"subscription '{unit.subscriptions[0]}' reads the stream '{min(others)}', but all "
                f"rows are of stream '{default}'; name the column with their streams: "
                f"streams => 'kind'"
            )
            raise ConfigurationError(msg)


def _names(asked: Asked, plan: PartitionPlan) -> dict[str, str]:
    """Return the columns of the table that the engine needs, by what the engine calls them."""
    names = {asked.time: asked.time}
    if asked.end is not None:
        names[END] = asked.end
    if asked.streams is not None:
        names[STREAM] = asked.streams
    derived = {one.into for one in asked.program.subscriptions}
    for group in plan.groups:
        for stream, needs in group.needs.streams.items():
            for name in needs.columns:
                if stream in derived and name not in asked.schema.names:
                    continue  # only derived events have it
                who = f"which subscription '{group.subscriptions[0]}' reads of '{stream}'"
                check_column(asked.schema, name, who)
                names[name] = name
    return names | {name: name for name in doubtful_columns(asked.program, asked.schema, names)}


def _check_key(unit: Unit, key: str) -> None:
    """Refuse a key by which the answers would not stay the same."""
    name = unit.subscriptions[0]
    allowed = [one.key for one in unit.choices if one.strategy is Strategy.BY_KEY]
    if not any(all(attribute == key for _, attribute in one) for one in allowed):
        whys = [str(one) for one in unit.refusals if one.strategy is Strategy.BY_KEY]
        others = sorted({attribute for one in allowed for _, attribute in one})
        why = whys[0] if whys else f"{name}: its key is {' or '.join(others)}"
        msg = f"key => '{key}' would change the answers; leave it out. {why}"
        raise ConfigurationError(msg)
    if unit.needs.positions or unit.needs.start or unit.needs.clock:
        what = "positions" if unit.needs.positions else "the clock"
        msg = f"subscription '{name}' needs {what} of the whole table; leave key out"
        raise ConfigurationError(msg)


def _order(asked: Asked) -> list[OrderingColumn]:
    """Order rows as `match` does: by end, then by their numbers.

    Where they bring none, by what was asked for, and then by what they hold.
    """
    ends = quoted(asked.end or asked.time)
    if asked.row is not None:
        return [OrderingColumn(ends), OrderingColumn(quoted(asked.row))]
    given = [quoted(asked.order)] if asked.order is not None else []
    return [OrderingColumn(one) for one in (ends, *given, content_hash_text(asked.schema))]


def _selected(asked: Asked, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what goes to the function: the engine's columns, the number of a row, an order."""
    given = [*names.values(), *filter(None, [asked.row])]
    yield from (_plain(asked.schema[name].dataType, quoted(name)) for name in given)
    if asked.order is not None:  # Spark has put rows in order: it only counts whether it is null
        yield f"nullif({quoted(asked.order)} IS NULL, true)"


def _plain(of: DataType, column: str) -> str:
    """Take times as microseconds, since Python's would follow the machine's zone."""
    if isinstance(of, TimestampNTZType):
        return zoneless_microseconds(column)
    return f"unix_micros({column})" if isinstance(of, TimestampType) else column


def _arrow(of: DataType) -> Any:
    if isinstance(of, TimestampType | TimestampNTZType):
        return to_arrow_type(TimestampType(), timezone="UTC")
    return to_arrow_type(of)
