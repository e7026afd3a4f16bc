"""Rows become steps: events and control rows in the order of one clock, or dead letters."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

from tocsin.errors import ConfigurationError, TimeError
from tocsin.model.dead_letter import DeadLetter, DeadLetterKind, RowRefused, refuse, show_row
from tocsin.model.event import Event, Schema
from tocsin.model.normalise import is_nested, is_text, normalise, normalise_undeclared
from tocsin.model.show import show_value
from tocsin.model.times import TimeForm, format_time, parse_time, time_form_of
from tocsin.model.values import INTEGER_MAX, Kind, Timestamp, Value

TIME_NAMES: Final = ("ts", "time", "timestamp")
"""Where the time of an undeclared stream is looked for, in this order."""

CONTROLS: Final = ("$stream", "$end", "$clock", "$subscribe", "$unsubscribe")
"""The names with `$` that a row may have; the last three make a row that is no event."""

_COMMANDS: Final = CONTROLS[2:]
_MOST_NAMES: Final = 10_000  # beyond, names are checked again in every row


@dataclass(frozen=True, slots=True)
class Clock:
    """`{"$clock": t}`: no event with an end up to and including `moment` will still come."""

    row: int
    moment: Timestamp


@dataclass(frozen=True, slots=True)
class Subscribe:
    """`{"$subscribe": "program text"}`."""

    row: int
    text: str


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """`{"$unsubscribe": "name"}`."""

    row: int
    name: str


Step: TypeAlias = Event | Clock | Subscribe | Unsubscribe


class Intake:
    """Takes the rows of an input one by one and keeps its clock.

    Parameters
    ----------
    schemas
        The declared streams.
    default_stream
        The stream of rows without `$stream`.
    time
        The attribute that carries the time of undeclared streams; without it, the first of
        `TIME_NAMES` that the first event of the stream has. A stream with neither takes the time
        of the clock, which stands at 0 in the beginning; after a `$clock` that is the first
        microsecond behind it, since nothing can come at or before it any more.

    Examples
    --------
    >>> intake = Intake({}, default_stream="logins")
    >>> intake.accept(0, {"ts": 2000, "ip": "10.0.0.1"}).end
    Timestamp(2000000)
    >>> intake.accept(1, {"ts": 1000, "ip": "10.0.0.1"}).reason
    'late: the event ends at 1000, before the clock at 2000'
    """

    def __init__(
        self, schemas: Mapping[str, Schema], *, default_stream: str, time: str | None = None
    ) -> None:
        self._declared = dict(schemas)
        self._undeclared: dict[str, Schema] = {}
        self._default_stream = default_stream
        self._time = time
        self._last_end: Timestamp | None = None
        self._last_clock: Timestamp | None = None
        self._form: TimeForm | None = None
        self._plain_names: set[str] = set()

    @property
    def clock(self) -> Timestamp | None:
        """The latest time seen, by an event or a `$clock`; None before the first."""
        seen = [moment for moment in (self._last_end, self._last_clock) if moment is not None]
        return max(seen, default=None)

    @property
    def time_form(self) -> TimeForm:
        """How times are shown: like the first one that came."""
        return self._form or TimeForm.ISO

    def add_schemas(self, schemas: Mapping[str, Schema]) -> None:
        """Declare further streams, or further attributes of declared ones.

        Raises
        ------
        ConfigurationError
            An attribute is declared with another type, or the stream with another TIME.
        """
        grown = {stream: self._grown(stream, schema) for stream, schema in schemas.items()}
        self._declared.update(grown)

    def accept(self, row: int, raw: object) -> Step | DeadLetter:
        """Return what a row is. It never raises: what is no step is a dead letter.

        Parameters
        ----------
        row
            Its 0-based place in the input.
        raw
            A mapping of names to values; a dead letter of the reader is given back as it is.
        """
        if isinstance(raw, DeadLetter):
            return raw
        try:
            return self._step(row, raw)
        except RowRefused as refused:
            return refused.letter(row, show_row(raw))

    def _step(self, row: int, raw: object) -> Step:
        if not isinstance(raw, Mapping):
            refuse("not_an_object", f"a row is names with values, not {show_value(raw)}")
        if raw.keys() <= self._plain_names:
            return self._event(row, raw, {})
        controls = _controls(raw)
        for name in _COMMANDS:
            if name in controls:
                _check_alone(name, raw)
                return self._command(row, name, controls[name])
        names = [name for name in raw if not name.startswith("$")]
        if len(self._plain_names) < _MOST_NAMES:
            self._plain_names.update(names)
        return self._event(row, {name: raw[name] for name in names}, controls)

    def _command(self, row: int, name: str, value: Value) -> Step:
        if name == "$clock":
            return self._advance(row, value)
        text = _text(name, value)
        return Subscribe(row, text) if name == "$subscribe" else Unsubscribe(row, text)

    def _advance(self, row: int, value: Value) -> Clock:
        moment = _moment("$clock", value, "bad_clock")
        now = self.clock
        if now is not None and moment < now:
            form = self._form or time_form_of(value)
            shown, clock = format_time(moment, form), format_time(now, form)
            refuse("bad_clock", f"$clock goes backwards: {shown} is before the clock at {clock}")
        self._last_clock = moment
        self._form = self._form or time_form_of(value)
        return Clock(row, moment)

    def _event(self, row: int, raw: Mapping[str, object], controls: Mapping[str, Value]) -> Event:
        stream = _text("$stream", controls.get("$stream", self._default_stream))
        schema = self._schema_of(stream, raw)
        values = _values(raw, schema)
        begin = self._begin(stream, schema, values)
        end = _end(begin, controls, self.time_form)
        self._check_in_time(end)
        self._remember(stream, schema, {**raw, **controls} if self._form is None else raw, end)
        return Event(stream, row, begin, end, values)

    def _schema_of(self, stream: str, raw: Mapping[str, object]) -> Schema:
        known = self._declared.get(stream) or self._undeclared.get(stream)
        if known is not None:
            return known
        time = self._time or _time_name(raw)
        return Schema({} if time is None else {time: Kind.TIMESTAMP}, time)

    def _begin(self, stream: str, schema: Schema, values: Mapping[str, Value]) -> Timestamp:
        if schema.time is None:
            return self._now()
        value = values.get(schema.time)
        if value is None:
            what = f"attribute {show_value(schema.time)} is missing"
            refuse("bad_time", f"{what}; it carries the time of stream {show_value(stream)}")
        return _moment(schema.time, value, "bad_time")

    def _now(self) -> Timestamp:
        """Return the time of an event that brings none: it comes after what the clock has said."""
        end = self._last_end or 0
        return Timestamp(end if self._last_clock is None else max(end, self._last_clock + 1))

    def _check_in_time(self, end: Timestamp) -> None:
        if self._last_end is not None and end < self._last_end:
            self._refuse_late(end, self._last_end, "before the clock at")
        if self._last_clock is not None and end <= self._last_clock:
            self._refuse_late(end, self._last_clock, "not after $clock")
        if end > INTEGER_MAX:
            refuse("late", "late: $clock has reached the last moment there is")

    def _refuse_late(self, end: Timestamp, clock: Timestamp, than: str) -> NoReturn:
        shown = format_time(end, self.time_form)
        refuse(
            "late", f"late: the event ends at {shown}, {than} {format_time(clock, self.time_form)}"
        )

    def _remember(
        self, stream: str, schema: Schema, raw: Mapping[str, object], end: Timestamp
    ) -> None:
        """Only an event that was taken moves the clock or settles anything."""
        self._last_end = end
        if stream not in self._declared:
            self._undeclared[stream] = schema
        if self._form is None:
            self._form = _form_of(raw, schema)

    def _grown(self, stream: str, schema: Schema) -> Schema:
        known = self._declared.get(stream)
        if known is None or known == schema:
            return schema
        clash = [name for name, kind in schema.kinds.items() if known.kinds.get(name, kind) != kind]
        if clash or known.time != schema.time:
            what = f"type of {', '.join(clash)}" if clash else "TIME"
            msg = f"stream '{stream}' is declared again with another {what}; use one declaration"
            raise ConfigurationError(msg)
        return Schema({**known.kinds, **schema.kinds}, known.time)


def _controls(raw: Mapping[object, object]) -> dict[str, Value]:
    """Return the names with `$` and their values, without the missing ones; check all names."""
    controls = {}
    for name, value in raw.items():
        if not isinstance(name, str):
            refuse("bad_key", f"the name {show_value(name)} is not a string")
        if name.startswith("$"):
            _check_known(name)
            controls[name] = normalise(name, value)
        elif not is_text(name):
            refuse("bad_encoding", f"the name {show_value(name)} is not Unicode text")
    return {name: value for name, value in controls.items() if value is not None}


def _check_known(name: str) -> None:
    if name not in CONTROLS:
        near = difflib.get_close_matches(name[:40], CONTROLS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the known ones are {', '.join(CONTROLS)}"
        refuse("unknown_control", f"unknown control {show_value(name)}; {hint}")


def _check_alone(name: str, raw: Mapping[str, object]) -> None:
    others = (other for other in raw if other != name and _is_there(other, raw[other]))
    other = next(others, None)
    if other is not None:
        refuse("bad_control", f"{name} stands alone in its row, but {show_value(other)} is there")


def _is_there(name: str, value: object) -> bool:
    return is_nested(value) or normalise(name, value) is not None


def _text(name: str, value: Value) -> str:
    if not isinstance(value, str) or not value.strip():
        refuse("bad_control", f"{name} takes a text, not {show_value(value)}")
    return value


def _moment(name: str, value: Value, kind: DeadLetterKind) -> Timestamp:
    try:
        return parse_time(value)
    except TimeError as error:
        raise RowRefused(kind, f"attribute {show_value(name)}: {error}") from error


def _end(begin: Timestamp, controls: Mapping[str, Value], form: TimeForm) -> Timestamp:
    value = controls.get("$end")
    if value is None:
        return begin
    end = _moment("$end", value, "bad_time")
    if end < begin:
        shown, start = format_time(end, form), format_time(begin, form)
        refuse("bad_time", f"$end {shown} is before the begin {start}")
    return end


def _time_name(raw: Mapping[str, object]) -> str | None:
    names = (name for name in TIME_NAMES if name in raw)
    return next((name for name in names if normalise(name, raw[name]) is not None), None)


def _values(raw: Mapping[str, object], schema: Schema) -> dict[str, Value]:
    """Return the values that are there; undeclared attributes stay in, unless they are nested."""
    kinds = schema.kinds
    values: dict[str, Value] = {}
    for name, value in raw.items():
        if name in kinds:
            plain = normalise(name, value, kinds[name])
        else:
            plain = normalise_undeclared(name, value)
        if plain is not None:
            values[name] = plain
    return values


def _form_of(raw: Mapping[str, object], schema: Schema) -> TimeForm | None:
    """Return the form of the first time in a row: its own time, its end, any declared one."""
    declared = (name for name, kind in schema.kinds.items() if kind is Kind.TIMESTAMP)
    own = () if schema.time is None else (schema.time,)
    for name in (*own, "$end", *declared):
        value = normalise(name, raw.get(name))
        if value is not None:
            return time_form_of(value)
    return None
