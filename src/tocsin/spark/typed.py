"""Typed columns for the notifications of one subscription."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, TimestampNTZType, TimestampType

from tocsin.errors import ConfigurationError
from tocsin.language.checker import check
from tocsin.language.tree import AttributeDeclaration, Program, StreamDeclaration
from tocsin.model.values import Kind
from tocsin.spark.job import Job
from tocsin.spark.kinds import SPARK_TYPES, kind_of_type
from tocsin.spark.schema import END, STREAM

_MS_PER_S: Final = 1_000


def with_types(found: DataFrame, job: Job) -> DataFrame:
    """Return notifications whose variables and EMIT fields have types of their own.

    Raises
    ------
    ConfigurationError
        There are several subscriptions, or a type is not known before the job runs.
    """
    kinds = _kinds(job)
    moments = TimestampType | TimestampNTZType | DateType
    is_iso = isinstance(job.events.frame.schema[job.events.time].dataType, moments)
    empty = [name for name, fields in kinds.items() if not fields]
    structs = {
        name: _struct(name, fields, is_iso=is_iso) for name, fields in kinds.items() if fields
    }
    return found.withColumns(structs).drop(*empty)


def _kinds(job: Job) -> dict[str, Mapping[str, Kind]]:
    if len(job.program.subscriptions) != 1:
        msg = (
            f"typed=True needs one subscription, but here are {len(job.program.subscriptions)}; "
            f"match them one by one, or leave it out"
        )
        raise ConfigurationError(msg)
    (facts,) = check(_declared(job)).facts
    kinds = {"variables": facts.variables, "emit": facts.emitted}
    for part, fields in kinds.items():
        for name, kind in fields.items():
            if kind is Kind.UNKNOWN:
                msg = (
                    f"typed=True: the type of '{part}.{name}' is not known before the job runs; "
                    f"leave it out, and cast {part}['{name}'] yourself"
                )
                raise ConfigurationError(msg)
    return kinds


def _declared(job: Job) -> Program:
    """Return the program with its streams declared as the frame has them."""
    fields = job.events.frame.schema.fields
    kinds = {one.name: kind_of_type(one.dataType) for one in fields}
    attributes = tuple(
        AttributeDeclaration(name, kind)
        for name, kind in kinds.items()
        if kind is not None and kind is not Kind.DURATION and name not in (STREAM, END)
    )
    (group,) = job.plan.groups
    known = {one.name for one in job.program.statements if isinstance(one, StreamDeclaration)}
    streams = tuple(
        StreamDeclaration(name, attributes) for name in group.needs.streams if name not in known
    )
    return Program((*streams, *job.program.statements), job.program.source)


def _struct(name: str, fields: Mapping[str, Kind], *, is_iso: bool) -> Column:
    return F.struct(
        *[_value(F.col(name)[one], kind, is_iso=is_iso).alias(one) for one, kind in fields.items()]
    )


def _value(json: Column, kind: Kind, *, is_iso: bool) -> Column:
    """Return a value from its JSON."""
    listed = F.concat(F.lit("["), json, F.lit("]"))
    text = F.from_json(listed, "array<string>")[0]
    match kind:
        case Kind.TIMESTAMP if not is_iso:
            return F.timestamp_micros(_thousandfold(text))
        case Kind.DURATION:
            zero = F.lit(0)
            seconds = text.cast("decimal(21,3)") / F.lit(_MS_PER_S)
            return F.make_dt_interval(zero, zero, zero, seconds.cast("decimal(18,6)"))
    return text.cast(SPARK_TYPES[kind])


def _thousandfold(milliseconds: Column) -> Column:
    return (milliseconds.cast("decimal(21,3)") * F.lit(_MS_PER_S)).cast("bigint")
