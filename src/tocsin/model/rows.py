"""Rows become steps: events and control rows in the order of one clock, or dead letters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tocsin.model.controls import COMMANDS, CONTROLS, check_alone, controls_of, text_of
from tocsin.model.dead_letter import DeadLetter, RowRefused, refuse, show_row
from tocsin.model.event import Event, Schema
from tocsin.model.lateness import is_in_time, refuse_late
from tocsin.model.row_plan import RowPlan
from tocsin.model.row_values import (
    TIME_NAMES,
    end_of,
    form_of,
    moment_of,
    time_name,
    values_of,
)
from tocsin.model.schemas import grown_schema
from tocsin.model.show import show_value
from tocsin.model.steps import Clock, IntakeState, Step, Subscribe, Unsubscribe
from tocsin.model.times import TimeForm, format_time, time_form_of
from tocsin.model.values import Kind, Timestamp, Value

__all__ = [
    "CONTROLS",
    "TIME_NAMES",
    "Clock",
    "Intake",
    "IntakeState",
    "Step",
    "Subscribe",
    "Unsubscribe",
]

_MOST_NAMES: Final = 10_000  # beyond, names are checked again in every row
_MOST_PLANS: Final = 100  # beyond, rows of further streams go the long way


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
        self.default_stream = default_stream
        self.time = time
        self._last_end: Timestamp | None = None
        self._last_clock: Timestamp | None = None
        self._form: TimeForm | None = None
        self._plans: dict[str, RowPlan] = {}

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
        known = self._declared.get
        self._declared.update({s: grown_schema(s, known(s), added) for s, added in schemas.items()})
        self._plans.clear()

    def schema(self, stream: str) -> Schema | None:
        """Return the schema of a stream that is declared or settled by its first event."""
        return self._declared.get(stream) or self._undeclared.get(stream)

    def declares(self, name: str) -> bool:
        """Say whether any declared stream has this attribute."""
        return any(name in schema.kinds for schema in self._declared.values())

    def state(self) -> IntakeState:
        """Return what the rows so far have settled."""
        undeclared = dict(self._undeclared)
        return IntakeState(self._last_end, self._last_clock, self._form, undeclared)

    def restore(self, state: IntakeState) -> None:
        """Go on as if the rows that led to this state had come."""
        self._last_end, self._last_clock = state.last_end, state.last_clock
        self._form, self._undeclared = state.form, dict(state.undeclared)
        self._plans.clear()

    def copy(self) -> Intake:
        """Return an intake that goes on from here on its own."""
        other = Intake(self._declared, default_stream=self.default_stream, time=self.time)
        other.restore(self.state())
        return other

    def accept(self, row: int, raw: object) -> Step | DeadLetter:
        """Return what a row is. It never raises: what is no step is a dead letter.

        Parameters
        ----------
        row
            Its 0-based place in the input.
        raw
            A mapping of names to values; a dead letter of the reader is given back as it is.
        """
        if type(raw) is dict:
            event = self._plain_event(row, raw)
            if event is not None:
                return event
        if isinstance(raw, DeadLetter):
            return raw
        try:
            return self._step(row, raw)
        except RowRefused as refused:
            return refused.letter(row, show_row(raw))

    def _plain_event(self, row: int, raw: dict[str, object]) -> Event | None:
        """Return the event of a row that holds nothing unusual; None sends it the long way."""
        named = raw.get("$stream")
        stream = self.default_stream if named is None else named
        plan = self._plans.get(stream) if type(stream) is str else None
        values = None if plan is None else plan.read(raw)
        if plan is None or values is None:
            return None
        if named is not None:
            del values["$stream"]
        time = plan.schema.time
        moment = self._now() if time is None else values.get(time)
        if type(moment) is not Timestamp:
            return None
        if not is_in_time(moment, self._last_end, self._last_clock):
            return None
        self._last_end = moment
        return Event(plan.stream, row, moment, moment, values)

    def _learn(self, stream: str, schema: Schema, names: Iterable[str]) -> None:
        """Let further rows like this one go the short way."""
        if self._form is None and Kind.TIMESTAMP in schema.kinds.values():
            return  # a row may still settle the form
        plan = self._plans.get(stream)
        if plan is None and len(self._plans) < _MOST_PLANS:
            plan = self._plans[stream] = RowPlan(stream, schema)
        if plan is not None and len(plan.types) < _MOST_NAMES:
            plan.learn(names)

    def _step(self, row: int, raw: object) -> Step:
        if not isinstance(raw, Mapping):
            refuse("not_an_object", f"a row is names with values, not {show_value(raw)}")
        controls = controls_of(raw)
        for name in COMMANDS:
            if name in controls:
                check_alone(name, raw)
                return self._command(row, name, controls[name])
        attributes = {name: raw[name] for name in raw if not name.startswith("$")}
        return self._event(row, attributes, controls)

    def _command(self, row: int, name: str, value: Value) -> Step:
        if name == "$clock":
            return self._advance(row, value)
        text = text_of(name, value)
        return Subscribe(row, text) if name == "$subscribe" else Unsubscribe(row, text)

    def _advance(self, row: int, value: Value) -> Clock:
        moment = moment_of("$clock", value, "bad_clock")
        now = self.clock
        if now is not None and moment < now:
            form = self._form or time_form_of(value)
            shown, clock = format_time(moment, form), format_time(now, form)
            refuse("bad_clock", f"$clock goes backwards: {shown} is before the clock at {clock}")
        self._last_clock = moment
        self._form = self._form or time_form_of(value)
        return Clock(row, moment)

    def _event(self, row: int, raw: Mapping[str, object], controls: Mapping[str, Value]) -> Event:
        stream = text_of("$stream", controls.get("$stream", self.default_stream))
        schema = self._schema_of(stream, raw)
        values = values_of(raw, schema)
        begin = self._begin(stream, schema, values)
        end = end_of(begin, controls, self.time_form)
        if not is_in_time(end, self._last_end, self._last_clock):
            refuse_late(end, self._last_end, self._last_clock, self.time_form)
        self._remember(stream, schema, {**raw, **controls} if self._form is None else raw, end)
        self._learn(stream, schema, raw)
        return Event(stream, row, begin, end, values)

    def _schema_of(self, stream: str, raw: Mapping[str, object]) -> Schema:
        known = self.schema(stream)
        if known is not None:
            return known
        time = self.time or time_name(raw)
        return Schema({} if time is None else {time: Kind.TIMESTAMP}, time)

    def _begin(self, stream: str, schema: Schema, values: Mapping[str, Value]) -> Timestamp:
        if schema.time is None:
            return self._now()
        value = values.get(schema.time)
        if value is None:
            what = f"attribute {show_value(schema.time)} is missing"
            refuse("bad_time", f"{what}; it carries the time of stream {show_value(stream)}")
        return moment_of(schema.time, value, "bad_time")

    def _now(self) -> Timestamp:
        """Return the time of an event that brings none: it comes after what the clock has said."""
        end = self._last_end or 0
        return Timestamp(end if self._last_clock is None else max(end, self._last_clock + 1))

    def _remember(
        self, stream: str, schema: Schema, raw: Mapping[str, object], end: Timestamp
    ) -> None:
        """Only an event that was taken moves the clock or settles anything."""
        self._last_end = end
        if stream not in self._declared:
            self._undeclared[stream] = schema
        if self._form is None:
            self._form = form_of(raw, schema)
