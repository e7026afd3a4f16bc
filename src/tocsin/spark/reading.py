"""Whether events have what subscriptions read, told before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql.types import StructType

from tocsin.errors import ConfigurationError
from tocsin.language.tree import Program, StreamDeclaration
from tocsin.plan.partition import Group, PartitionPlan
from tocsin.spark.declared import contradicted
from tocsin.spark.intake import Events
from tocsin.spark.kinds import is_carried
from tocsin.spark.missing import column_read, stream_read


def check_readable(program: Program, plan: PartitionPlan, events: Events, default: str) -> None:
    """See that every attribute that a subscription reads is a column that events carry.

    Raises
    ------
    ConfigurationError
        A column is missing or of a type that no event carries, a declared stream has another time
        or none, or no subscription reads the stream of the rows.
    """
    derived = {one.into for one in program.subscriptions if one.into is not None}
    check_declared_times(program, events.time, derived)
    schema = events.frame.schema
    _check_declared_types(program, schema)
    own_schemas = events.schemas if events.is_named else {default: schema}
    for stream, own_schema in (own_schemas or {}).items():
        check_contradictions(program, own_schema, stream)
    for group in plan.groups:
        _check_streams(group, events, default, derived)
        for stream, name in _read(group, events, default):
            if name not in schema.names and stream not in derived:
                msg = column_read(group.subscriptions[0], name, stream, events.frame.columns)
                raise ConfigurationError(msg)
            if name in schema.names:
                _check_type(group, name, schema)


def _read(group: Group, events: Events, default: str) -> Iterator[tuple[str, str]]:
    """Return the attributes that a group reads of the streams that rows belong to."""
    for stream, needs in group.needs.streams.items():
        if events.is_named or stream == default:
            yield from ((stream, name) for name in needs.columns)


def _check_streams(group: Group, events: Events, default: str, derived: set[str]) -> None:
    streams = set(group.needs.streams) - derived
    unknown = streams - set(events.streams) if events.streams is not None else set()
    if unknown:
        known, fix = events.streams or (), "give a frame for it, or leave it out"
        msg = stream_read(group.subscriptions[0], min(unknown), known, given="frames", fix=fix)
        raise ConfigurationError(msg)
    if not events.is_named and streams and default not in streams:
        name = min(streams)
        msg = (
            f"subscription '{group.subscriptions[0]}' reads the stream '{name}', but all rows are "
            f"of stream '{default}'; say stream='{name}', streams= with the column that names the "
            f"stream of a row, or give a dict of frames by stream"
        )
        raise ConfigurationError(msg)


def _check_type(group: Group, name: str, schema: StructType) -> None:
    of = schema[name].dataType
    if not is_carried(of):
        msg = (
            f"subscription '{group.subscriptions[0]}' reads '{name}', which is a "
            f"{of.simpleString()}; no event carries that: select what you need of it as a column "
            f"of its own, or cast it to a string"
        )
        raise ConfigurationError(msg)


def _check_declared_types(program: Program, schema: StructType) -> None:
    """Refuse columns that no event carries and that are declared: all their rows would be."""
    for stream in program.statements:
        if isinstance(stream, StreamDeclaration):
            for one in stream.attributes:
                if one.name in schema.names and not is_carried(schema[one.name].dataType):
                    msg = (
                        f"the column '{one.name}' is a {schema[one.name].dataType.simpleString()}, "
                        f"but stream '{stream.name}' declares {one.kind.value}; leave it out of "
                        f"the declaration, or cast it"
                    )
                    raise ConfigurationError(msg)


def check_contradictions(program: Program, schema: StructType, stream: str) -> None:
    """Refuse a column of a stream that is declared as what none of its values is."""
    found = contradicted(program, schema, stream)
    if found is not None:
        name, declared = found
        msg = (
            f"the column '{name}' is a {schema[name].dataType.simpleString()}, but stream "
            f"'{stream}' declares {declared.value}: every row with a value there would be refused; "
            f"cast it, declare it as it is, or leave it out if it has no values"
        )
        raise ConfigurationError(msg)


def check_declared_times(program: Program, time: str, derived: set[str]) -> None:
    """See that engines go by the time by which rows are ordered and split.

    Those of a stream that is declared without TIME would all take the time of the clock.
    """
    for one in program.statements:
        if not isinstance(one, StreamDeclaration) or one.time == time:
            continue
        if one.time is not None:
            msg = (
                f"stream '{one.name}' is declared with TIME {one.time}, but time= names "
                f"'{time}'; name the same column"
            )
            raise ConfigurationError(msg)
        if one.name not in derived:
            msg = (
                f"stream '{one.name}' is declared without TIME, but time= names '{time}'; "
                f"write STREAM {one.name} (… {time} TIMESTAMP …) TIME {time}"
            )
            raise ConfigurationError(msg)
