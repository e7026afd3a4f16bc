"""A call of the table function, checked before the query runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type
from pyspark.sql.types import (
    DataType,
    DateType,
    IntegerType,
    IntegralType,
    LongType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)
from pyspark.sql.udtf import AnalyzeResult, OrderingColumn, PartitioningColumn, SelectedColumn

from tocsin.errors import ConfigurationError
from tocsin.language.live import LiveProgram
from tocsin.language.load import load_program
from tocsin.language.suggest import did_you_mean
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tree import Program
from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.plan.partition import PartitionPlan, Strategy, Unit, plan_partitions
from tocsin.spark.intake import content_hash_text, quoted, zoneless_microseconds
from tocsin.spark.schema import END, STREAM

OPTIONS: Final = ("end", "order", "streams", "key", "row")
_KINDS: Final[Mapping[str, tuple[type[DataType], str]]] = {
    "row": (IntegralType, "it must number events with integers"),
    "streams": (StringType, "it must hold names of streams"),
}
_TIMES: Final = (TimestampType, TimestampNTZType, DateType, LongType, IntegerType)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call says, by the names of its arguments; columns are those of the table."""

    schema: StructType
    program: Program
    time: str
    end: str | None = None
    order: str | None = None
    streams: str | None = None
    key: str | None = None
    row: str | None = None

    @classmethod
    def of(cls, schema: DataType, texts: Mapping[str, str]) -> Asked:
        """Return a call that names only columns that are there.

        Raises
        ------
        ConfigurationError
            An argument or a column is unknown, or has the wrong type.
        LanguageError
            The subscriptions are wrong.
        """
        assert isinstance(schema, StructType)
        columns = {name: value for name, value in texts.items() if name != "subscriptions"}
        for name, column in columns.items():
            if name not in ("time", *OPTIONS):
                hint = did_you_mean(name, OPTIONS) or f"There are: {', '.join(OPTIONS)}."
                msg = f"tocsin_match has no argument '{name}'. {hint}"
                raise ConfigurationError(msg)
            _check_column(schema, column, f"which {name} names")
        for name in ("time", "end"):
            of = schema[columns[name]].dataType if name in columns else LongType()
            if not isinstance(of, _TIMES):
                msg = f"the column '{columns[name]}' is a {of.simpleString()}, and no time; "
                raise ConfigurationError(msg + "make it one with to_timestamp")
        for name, (wanted, called) in _KINDS.items():
            if name in columns and not isinstance(schema[columns[name]].dataType, wanted):
                is_ = schema[columns[name]].dataType.simpleString()
                msg = f"the column '{columns[name]}', which {name} names, is a {is_}; {called}"
                raise ConfigurationError(msg)
        program = load_program(texts["subscriptions"])
        refuse_unsupported(program)
        return cls(schema, program, **columns)


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
        The places of columns without which a row is no event.
    row
        The place of the column that numbers rows.
    """

    program: Program = field(default_factory=lambda: Program(()))
    time: str = ""
    columns: Sequence[tuple[str, Any]] = ()
    needed: Sequence[int] = ()
    row: int | None = None


def prepare(asked: Asked) -> Prepared:
    """Return which columns a call needs, and in which order its rows must come.

    Raises
    ------
    ConfigurationError
        A subscription reads a column or a stream that is not there, or cannot be split by the key.
    """
    plan = plan_partitions(asked.program)
    if asked.streams is None:
        _check_streams(asked.program, plan)
    if asked.key is not None:
        for unit in plan.units:
            _check_key(unit, asked.key)
    names = _names(asked, plan)
    given = [*names.values(), *([asked.row] if asked.row is not None else [])]
    time = names[asked.time]
    needed = [place for place, name in enumerate(names) if name in (asked.time, END, STREAM)]
    needed += [len(names)] if asked.row is not None else []
    return Prepared(
        from_arrow_schema(NOTIFICATION_SCHEMA),  # text of SQL would need a JVM
        withSinglePartition=asked.key is None,
        partitionBy=[] if asked.key is None else [PartitioningColumn(quoted(asked.key))],
        orderBy=_order(asked),
        select=[_selected(asked.schema, name, f"c{n}") for n, name in enumerate(given)],
        program=asked.program,
        time=time,
        columns=[(name, _arrow(asked.schema[names[name]].dataType)) for name in names],
        needed=needed,
        row=None if asked.row is None else len(names),
    )


def _check_streams(program: Program, plan: PartitionPlan) -> None:
    """Refuse a subscription that never sees a row, since all of them are of one stream."""
    default = LiveProgram(program).default_stream
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
                _check_column(asked.schema, name, who)
                names[name] = name
    return names


def _check_column(schema: StructType, name: str, why: str) -> None:
    if name not in schema.names:
        hint = did_you_mean(name, schema.names) or f"It has {', '.join(schema.names)}."
        msg = f"the table has no column '{name}', {why}. {hint}"
        raise ConfigurationError(msg)


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
    """Order rows as `match` does: by end, then by what was asked for, then by what they hold."""
    given = [quoted(asked.order)] if asked.order is not None else []
    ends = quoted(asked.end or asked.time)
    return [OrderingColumn(one) for one in (ends, *given, content_hash_text(asked.schema))]


def _selected(schema: StructType, name: str, alias: str) -> SelectedColumn:
    """Take a column; times as microseconds, since Python's would follow the machine's zone."""
    of, column = schema[name].dataType, quoted(name)
    if isinstance(of, TimestampNTZType):
        return SelectedColumn(zoneless_microseconds(column), alias)
    if isinstance(of, TimestampType):
        return SelectedColumn(f"unix_micros({column})", alias)
    return SelectedColumn(column, alias)


def _arrow(of: DataType) -> Any:
    if isinstance(of, TimestampType | TimestampNTZType):
        return to_arrow_type(TimestampType(), timezone="UTC")
    return to_arrow_type(of)
