"""One call: events and subscriptions in, notifications out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from tocsin.errors import ConfigurationError, LanguageError, TocsinError, UnsupportedError
from tocsin.language.live import LiveProgram
from tocsin.language.load import Subscriptions, load_program
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tables import filled_program
from tocsin.language.tree import Program, Subscription
from tocsin.model.dead_letter import DeadLetter, RowRefused, show_row
from tocsin.model.event import Event
from tocsin.model.notification import Notification, Notifications
from tocsin.model.read import may_subscribe, rows_of
from tocsin.model.rows import Clock, Intake, Subscribe, Unsubscribe
from tocsin.model.times import parse_time
from tocsin.reference.run import run
from tocsin.reference.timeline import Added, Removed, Step

if TYPE_CHECKING:
    from tocsin.engine import Engine

ENGINES = ("reference", "compiled")


def match(  # noqa: PLR0913 - every option is a keyword of its own
    events: Iterable[Any],
    subscriptions: Subscriptions,
    *,
    engine: Literal["reference", "compiled"] = "compiled",
    time: str | None = None,
    stream: str | None = None,
    simultaneous: Literal["ordered", "unordered"] = "ordered",
    clock: object = None,
    table: object = None,
) -> Notifications:
    """Return the notifications of subscriptions over a finite input, in notification order.

    Parameters
    ----------
    events
        Rows as dicts, a `pyarrow.Table` or a pandas frame. A dict may carry `$stream` and `$end`;
        `{"$clock": t}` advances the clock, `{"$subscribe": text}` and `{"$unsubscribe": name}`
        change the subscriptions on the way. All events are kept where a subscription may come
        that looks back with SINCE: a list or a table is looked through for one, an iterator
        may always bring one.
    subscriptions
        A program as text, a path to one, a tree, or what the builder makes.
    engine
        `"compiled"`: for as many events as you have; `"reference"`: the same answers from the
        definition of what is right, which is made to be read rather than to be fast.
    time
        The attribute that carries the time of undeclared streams.
    stream
        The stream of rows that name none.
    simultaneous
        `"unordered"`: events with equal end times never follow one another.
    clock
        Advance the clock to this time after the last row.
    table
        The parameter table of a template: an Arrow table, a pandas frame or a list of dicts.

    Raises
    ------
    LanguageError
        The program is wrong.
    ConfigurationError
        An argument is wrong.
    UnsupportedError
        A subscription uses a part of the language that does not run yet.

    Examples
    --------
    >>> rows = [{"ts": 0, "price": 9}, {"ts": 1000, "price": 12}]
    >>> found = match(rows, "SUBSCRIBE rise MATCH a:[price < 10] , b:[price > a.price]")
    >>> found[0].events
    {'a': (0,), 'b': (1,)}
    """
    _check_choice("engine", engine, ENGINES)
    _check_choice("simultaneous", simultaneous, ("ordered", "unordered"))
    if engine == "compiled":
        from tocsin.engine import Engine  # noqa: PLC0415 - takes a second; checks do without

        live = Engine(
            subscriptions,
            time=time,
            stream=stream,
            simultaneous=simultaneous,
            history=may_subscribe(events),
            table=table,
        )
        return processed(live, events, clock)
    program = filled_program(load_program(subscriptions), table)
    refuse_unsupported(program)
    feed = _Feed(LiveProgram(program, default_stream=stream), time)
    for row, raw in rows_of(events):
        feed.take(row, raw)
    if clock is not None:
        feed.advance(clock)
    found = _run(feed.steps, unordered=simultaneous == "unordered")
    return Notifications(found, dead_letters=feed.dead_letters, form=feed.intake.time_form)


def processed(live: Engine, events: Iterable[Any], clock: object = None) -> Notifications:
    """Run everything through an engine, then advance its clock where that is asked for."""
    is_table = isinstance(events, pa.Table | pa.RecordBatch)
    found = live.process(events if is_table else (raw for _, raw in rows_of(events)))
    if clock is None:
        return found
    later = live.advance(clock)
    if not later:
        return found
    return Notifications([*found, *later], dead_letters=found.dead_letters, form=live.time_form)


def _run(steps: list[Step], *, unordered: bool) -> list[Notification]:
    try:
        return run(steps, unordered=unordered)
    except RecursionError:
        msg = "the reference cannot follow a match over so many events; use a shorter window"
        raise UnsupportedError(msg) from None


def _check_choice(option: str, given: str, choices: tuple[str, ...]) -> None:
    if given not in choices:
        shown = " or ".join(repr(choice) for choice in choices)
        msg = f"{option}={given!r} is unknown; use {shown}"
        raise ConfigurationError(msg)


class _Feed:
    """Turns rows into steps, and keeps those that are none as dead letters."""

    def __init__(self, program: LiveProgram, time: str | None) -> None:
        self.program = program
        self.intake = Intake(program.schemas, default_stream=program.default_stream, time=time)
        self.dead_letters: list[DeadLetter] = []
        self.steps: list[Step] = []
        self.made = 0
        self._add(program.program.subscriptions)

    def _add(self, subscriptions: tuple[Subscription, ...]) -> None:
        self.steps.append(Added(self.program.normal(subscriptions), self.made))
        self.made += len(subscriptions)

    def take(self, row: int, raw: object) -> None:
        """Take one row of the input."""
        step = self.intake.accept(row, raw)
        match step:
            case DeadLetter():
                self.dead_letters.append(step)
            case Event() | Clock():
                self.steps.append(step)
            case Subscribe() | Unsubscribe():
                self._change(step, row, raw)

    def _change(self, step: Subscribe | Unsubscribe, row: int, raw: object) -> None:
        try:
            if isinstance(step, Subscribe):
                self._subscribe(step.text)
            else:
                self.program.remove(step.name)
                self.steps.append(Removed(step.name))
        except (LanguageError, UnsupportedError) as error:
            refused = RowRefused("bad_program", str(error))
            self.dead_letters.append(refused.letter(row, show_row(raw)))
        except ConfigurationError as error:
            refused = RowRefused("unknown_subscription", str(error))
            self.dead_letters.append(refused.letter(row, show_row(raw)))

    def _subscribe(self, text: str) -> None:
        in_force = self.program.program.definitions
        refuse_unsupported(Program((*in_force, *load_program(text).statements)))
        added = self.program.add(text)
        self.intake.add_schemas(self.program.schemas)
        self._add(added)

    def advance(self, clock: object) -> None:
        """Advance the clock after the last row."""
        try:
            moment = parse_time(clock)
        except TocsinError as error:
            msg = f"clock: {error}"
            raise ConfigurationError(msg) from error
        step = self.intake.accept(-1, {"$clock": clock})
        if isinstance(step, DeadLetter):
            msg = f"clock: {step.reason}"
            raise ConfigurationError(msg)
        self.steps.append(Clock(-1, moment))
