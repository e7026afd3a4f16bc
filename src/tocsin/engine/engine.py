"""The engine: rows in, notifications out, one by one or in batches."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import pyarrow as pa

from tocsin.engine.course import Course
from tocsin.engine.delivery import Delivery
from tocsin.engine.errors import BusyError
from tocsin.engine.feed import Feed
from tocsin.engine.history import History
from tocsin.engine.idle import is_idle
from tocsin.engine.lane_trace import trace_of_member
from tocsin.engine.lazy_matches import chained
from tocsin.engine.limits import Limiter, Limits
from tocsin.engine.linear.arrays import NONE
from tocsin.engine.options import Options
from tocsin.engine.places import Places
from tocsin.engine.snapshots import fingerprint_of, freeze, thaw
from tocsin.engine.stats import Stats, stats_of
from tocsin.engine.trace import Trace, trace_of
from tocsin.errors import ConfigurationError
from tocsin.language.load import Subscriptions, load_program
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tables import filled_tables, live_program
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notification, Notifications
from tocsin.model.read import rows_of
from tocsin.model.rows import Intake
from tocsin.model.times import TimeForm
from tocsin.model.values import Timestamp


class Engine:
    """Runs subscriptions over rows as they come, with state that is their live partial matches.

    It is not thread-safe: entering it while it is at work, from another thread or from one of its
    own callbacks, raises `BusyError`.

    Parameters
    ----------
    program
        Text, a path, a tree, or what the builder makes.
    time
        The attribute that carries the time of undeclared streams.
    stream
        The stream of rows that name none.
    simultaneous
        `"unordered"`: events with equal end times never follow one another.
    limits
        How many instances there may be.
    history
        Keep all events, so that a subscription made later can say SINCE.
    options
        Which indexes to use; all of them, unless you measure what each is worth.
    table
        The parameter table of a program that is a template, as for `subscribe`.

    Raises
    ------
    LanguageError
        The program is wrong.
    UnsupportedError
        A subscription uses a part of the language that does not run yet.

    Examples
    --------
    >>> engine = Engine("SUBSCRIBE rise MATCH a:[price < 10] , b:[price > a.price]")
    >>> engine.publish({"ts": 0, "price": 9})
    []
    >>> [found.events for found in engine.publish({"ts": 1000, "price": 12})]
    [{'a': (0,), 'b': (1,)}]
    """

    def __init__(  # noqa: PLR0913 - every option is a keyword of its own
        self,
        program: Subscriptions,
        *,
        time: str | None = None,
        stream: str | None = None,
        simultaneous: Literal["ordered", "unordered"] = "ordered",
        limits: Limits | None = None,
        history: bool = False,
        options: Options | None = None,
        table: object = None,
    ) -> None:
        if simultaneous not in ("ordered", "unordered"):
            msg = f"simultaneous={simultaneous!r} is unknown; use 'ordered' or 'unordered'"
            raise ConfigurationError(msg)
        loaded = load_program(program)
        refuse_unsupported(loaded, with_table=table is not None)
        self.limits = limits or Limits()
        self._fingerprint = fingerprint_of(loaded, time, stream, simultaneous, history=history)
        tables = filled_tables(loaded, table)
        live = live_program(loaded, tables, default_stream=stream)
        intake = Intake(live.schemas, default_stream=live.default_stream, time=time)
        course = Course(
            unordered=simultaneous == "unordered",
            history=History() if history else None,
            limiter=Limiter(self.limits),
            options=options or Options(),
        )
        self._feed = Feed(live, intake, course)
        self._feed.add(live.program)
        self._feed.add_tables(tables, loaded.source)
        self._delivery = Delivery()
        self._notified = 0
        self._lock = threading.Lock()

    @property
    def time_form(self) -> TimeForm:
        """How times are shown: like the first one that came."""
        return self._feed.intake.time_form

    @property
    def dead_letters(self) -> tuple[DeadLetter, ...]:
        """The last rows that were no events, the latest last."""
        return tuple(self._feed.dead_letters)

    @property
    def clock(self) -> Timestamp | None:
        """The latest time seen, by an event or a clock; None before the first."""
        return self._feed.intake.clock

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """The names of the live subscriptions, in the order in which they were made."""
        orders = self._feed.course.orders
        return tuple(sorted(orders, key=orders.__getitem__))

    def publish(self, row: object) -> list[Notification]:
        """Take one row or event, and return what it completes.

        A row is a mapping of names to values, with the same control names as in `tocsin.match`;
        what is no event becomes a dead letter. An `Event` keeps its own times.
        """
        with self._entered():
            taken = self._feed.take(row)
            return [] if isinstance(taken, DeadLetter) else self._deliver(list(taken))

    def process(
        self, rows: Iterable[Any] | pa.Table | pa.RecordBatch, places: Places | None = None
    ) -> Notifications:
        """Take rows, and return what they complete together with those that are no events.

        A `pyarrow.Table` is taken by column. Notifications are made when somebody looks at them.

        Parameters
        ----------
        rows
            Rows as dicts, events, a `pyarrow.Table` or a pandas frame.
        places
            Where the rows of a table stand in a whole of which only a part comes here.

        Raises
        ------
        ConfigurationError
            The places do not fit the rows, or positions do not grow.

        Examples
        --------
        >>> engine = Engine("SUBSCRIBE two FROM ticks MATCH a:[TRUE] , b:[TRUE]")
        >>> part = pa.table({"ts": [0, 1, 2]})
        >>> places = Places([0, 10, 20], {frozenset({"ticks"}): [5, 6, 8]})
        >>> [found.events for found in engine.process(part, places)]
        [{'a': (0,), 'b': (10,)}]
        """
        with self._entered():
            if isinstance(rows, pa.Table | pa.RecordBatch):
                taken = self._feed.take_table(rows, places)
            elif places is not None:
                msg = "places can be given with a pyarrow.Table or RecordBatch only"
                raise ConfigurationError(msg)
            elif isinstance(rows, Mapping):
                msg = "process takes several rows, and this is one: use publish"
                raise ConfigurationError(msg)
            else:
                taken = self._feed.take_rows(raw for _, raw in rows_of(rows))
            found = chained(taken.found)
            self._notified += len(found)
            if self._delivery.has_listeners and len(found):
                found = list(found)
                self._delivery.deliver(found)
        return Notifications(found, dead_letters=taken.letters, form=self.time_form)

    def start(self, moment: object) -> None:
        """Say when the stream began of which only a part comes here.

        Absences and silence that look at the begin of the stream count from then on; without it,
        from the first time that comes.

        Raises
        ------
        ConfigurationError
            The moment is no time.
        """
        with self._entered():
            self._feed.course.start(self._feed.moment(moment))

    def advance(self, moment: object) -> list[Notification]:
        """Say that no event with an end up to and including a moment will still come.

        Raises
        ------
        ConfigurationError
            The moment is no time, or lies before the clock.
        """
        with self._entered():
            return self._deliver(self._feed.advance(moment))

    def next_deadline(self) -> Timestamp | None:
        """Return the moment at which the clock alone may complete a match; None if there is none.

        Examples
        --------
        >>> engine = Engine("SUBSCRIBE quiet MATCH a:[v = 1] ; !b:[v = 2] FOR 5 s")
        >>> engine.publish({"ts": 1000, "v": 1})
        []
        >>> engine.next_deadline()
        Timestamp(6000000)
        """
        deadline = self._feed.course.timers.next()
        return None if deadline is None else Timestamp(deadline)

    def is_idle(self) -> bool:
        """Say whether an engine made anew would give the same for all that is still to come.

        Then its state need not be kept. True is certain; what counts from the start on, as `nth`,
        `LIMIT` and `!q ; r` do, is never called idle.

        Examples
        --------
        >>> engine = Engine("SUBSCRIBE two MATCH a:[v = 1] ; b:[v = 2] WITHIN 5 s")
        >>> engine.publish({"ts": 0, "v": 1}), engine.is_idle()
        ([], False)
        >>> engine.advance(6000), engine.is_idle()
        ([], True)
        """
        with self._entered():
            return is_idle(self._feed.course)

    def subscribe(self, program: Subscriptions, table: object = None) -> list[Notification]:
        """Put subscriptions in force; return the matches that SINCE finds in history.

        Parameters
        ----------
        program
            Text, a path, a tree, or what the builder makes.
        table
            The parameter table of a template: an Arrow table, a pandas frame or a list of dicts.

        Raises
        ------
        LanguageError
            The text is wrong, alone or together with what is in force; nothing has changed then.
        UnsupportedError
            It says SINCE, and no history is kept; or something that does not run yet.
        """
        with self._entered():
            if table is not None:
                return self._deliver(self._feed.subscribe_table(load_program(program), table))
            return self._deliver(self._feed.subscribe(program))

    def unsubscribe(self, name: str) -> None:
        """End a subscription.

        Raises
        ------
        ConfigurationError
            No subscription has this name.
        """
        with self._entered():
            self._feed.unsubscribe(name)

    def snapshot(self) -> bytes:
        """Return everything that is needed to go on from here later."""
        with self._entered():
            return freeze(self._feed, self._fingerprint, self._notified)

    def restore(self, snapshot: bytes) -> None:
        """Go on from a snapshot of an engine with the same program and options.

        Raises
        ------
        SnapshotError
            The bytes are no snapshot, or that of another program or version.
        """
        with self._entered():
            self._feed, self._notified = thaw(snapshot, self._feed, self._fingerprint)

    def stats(self) -> Stats:
        """Return what there is and what has happened, in numbers."""
        return stats_of(self._feed, self._notified)

    def trace(self, subscription: str) -> Trace:
        """Tell why a subscription did or did not match.

        For recent events it says which atoms took them or which condition refused them; for live
        partial matches, what each waits for; and how others ended. Of a subscription that `follow`
        has not named, those may be told that began in recent events only.

        Raises
        ------
        ConfigurationError
            No subscription has this name.

        Examples
        --------
        >>> engine = Engine("SUBSCRIBE pair MATCH a:[v = 1] , b:[v > a.v]")
        >>> _ = engine.process([{"ts": 0, "v": 1}, {"ts": 1, "v": 0}])
        >>> print(engine.trace("pair").ended[0])
        a=(0,); waited for b; row 1 came next; b refused it, v > a.v does not hold (v = 0, a.v = 1)
        """
        course = self._feed.course
        order = self._order_of(subscription)
        found = course.member(order)
        if found is not None:
            return trace_of_member(*found, course.normal_of(order), self.time_form)
        course.catch_up_all()
        return trace_of(course.watches[order], self.time_form)

    def follow(self, subscription: str) -> None:
        """Note from now on how all partial matches of a subscription end, for `trace`.

        The subscription takes more time then. A snapshot does not hold it: follow again after
        `restore`.

        Raises
        ------
        ConfigurationError
            No subscription has this name.
        """
        with self._entered():
            course, order = self._feed.course, self._order_of(subscription)
            found = course.member(order)
            if found is not None:
                unit, member = found
                if member.number != NONE:
                    unit.follow(member, course.normal_of(order))

    def _order_of(self, subscription: str) -> int:
        order = self._feed.course.orders.get(subscription)
        if order is None:
            msg = f"no subscription is called '{subscription}'"
            raise ConfigurationError(msg)
        return order

    def on_notification(self, callback: Callable[[Notification], object]) -> None:
        """Call back for each notification, after the step that gave it.

        A callback must not publish here: that raises `BusyError`. What a callback raises comes out
        of `publish`, `process` or `advance` when everybody has been told; `process` returns nothing
        then.
        """
        self._delivery.callbacks.append(callback)

    def notifications(self) -> AsyncIterator[Notification]:
        """Return an asynchronous iterator over the notifications from now on."""
        return self._delivery.listen()

    def close(self) -> None:
        """End the asynchronous iterators."""
        self._delivery.close()

    @contextmanager
    def _entered(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            msg = (
                "the engine is at work; let one thread publish, and let callbacks put what they "
                "want to publish into a queue"
            )
            raise BusyError(msg)
        try:
            yield
        finally:
            self._lock.release()

    def _deliver(self, found: list[Notification]) -> list[Notification]:
        self._notified += len(found)
        if found:
            self._delivery.deliver(found)
        return found
