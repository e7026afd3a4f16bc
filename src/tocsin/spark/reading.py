"""Whether events have what subscriptions read, told before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql.types import StructType

from tocsin.errors import ConfigurationError
from tocsin.language.tree import Program, StreamDeclaration
from tocsin.plan.partition import Group, PartitionPlan
from tocsin.spark.intake import Events
from tocsin.spark.kinds import is_carried


def check_readable(program: Program, plan: PartitionPlan, events: Events, default: str) -> None:
    """See that every attribute that a subscription reads is a column that events carry.

    Raises
    ------
    ConfigurationError
        A column is missing or of a type that no event carries, a declared stream has another time,
        or no subscription reads the stream of the rows.
    """
    _check_declared_times(program, events)
    derived = {one.into for one in program.subscriptions if one.into is not None}
    schema = events.frame.schema
    for group in plan.groups:
        _check_streams(group, events, default, derived)
        for stream, name in _read(group, events, default):
            if name not in schema.names and stream not in derived:
                shown = ", ".join(events.frame.columns)
                msg = (
                    f"subscription '{group.subscriptions[0]}' reads '{name}' of stream "
                    f"'{stream}', but the events have no such column; they have {shown}"
                )
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


def _check_declared_times(program: Program, events: Events) -> None:
    for one in program.statements:
        if isinstance(one, StreamDeclaration) and one.time not in (None, events.time):
            msg = (
                f"stream '{one.name}' is declared with TIME {one.time}, but time= names "
                f"'{events.time}'; name the same column"
            )
            raise ConfigurationError(msg)
