"""Work on Spark that Ctrl-C stops cleanly.

Python asks Spark over a socket, and an interrupt in the middle of a question leaves the answer half
read. So the thread that is interrupted asks nothing: it waits for two others. One does the work,
and after an interrupt another one stops it.
"""

from __future__ import annotations

import contextvars
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

from pyspark import InheritableThread
from pyspark.sql import SparkSession

T = TypeVar("T")

_LOOK_S: Final = 0.2
"""Windows wakes nobody who waits without an end."""
_PATIENCE_S: Final = 30


class Interruptible(Generic[T]):
    """Work in a thread of its own.

    Parameters
    ----------
    work
        What to do.
    stop
        Called after an interrupt in a thread of its own, again and again until the work has ended.
        It says whether there is anything to wait for. An error of it is kept, and it is called
        again.
    session
        Where the work runs; it then has the properties that the caller's thread has there, such as
        the pool of its jobs.
    patience_s
        How long to wait for work that is to stop.

    Attributes
    ----------
    result
        What the work returned; None before, and where it ended with an error.
    ended
        Set when the work has ended.
    trouble
        The last error of `stop`.
    """

    def __init__(
        self,
        work: Callable[[], T],
        stop: Callable[[], bool],
        *,
        session: SparkSession | None = None,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self.work = work
        self.stop = stop
        self.session = session
        self.patience_s = patience_s
        self.result: T | None = None
        self.error: BaseException | None = None
        self.trouble: Exception | None = None
        self.ended = threading.Event()  # a thread whose join is interrupted passes for ended
        self._is_let_go = threading.Event()

    def run(self) -> T:
        """Do the work; where interrupts come to another thread, in this one.

        Raises
        ------
        KeyboardInterrupt
            It was interrupted, and has been stopped, unless `ended` is not set. A second interrupt
            waits for nothing.
        """
        if threading.current_thread() is not threading.main_thread():
            return self.work()
        thread = self._thread()
        with _plain_interrupts():
            try:
                thread.start()
                while not self.ended.wait(_LOOK_S):
                    pass
            except KeyboardInterrupt:
                self._stop()
                raise
        if self.error is not None:
            raise self.error
        assert self.result is not None
        return self.result

    def _thread(self) -> threading.Thread:
        target = contextvars.copy_context().run
        if self.session is None:
            return threading.Thread(target=target, args=(self._work,), daemon=True)
        return InheritableThread(target, session=self.session, args=(self._work,), daemon=True)

    def _work(self) -> None:
        try:
            self.result = self.work()
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()

    def _stop(self) -> None:
        end = time.monotonic() + self.patience_s
        threading.Thread(target=self._ask, daemon=True).start()
        while not self._is_let_go.is_set() and time.monotonic() < end:
            if self.ended.wait(_LOOK_S):
                return

    def _ask(self) -> None:
        while not self.ended.is_set():
            try:
                if not self.stop():
                    break
            except Exception as error:  # whoever waits is to hear of the interrupt
                self.trouble = error
            self.ended.wait(_LOOK_S)
        self._is_let_go.set()


@contextmanager
def _plain_interrupts() -> Iterator[None]:
    """Let an interrupt do nothing but raise, inside of the `with` statement.

    A session that the main thread has started cancels all jobs first, those of others too, and then
    a query passes for failed.
    """
    before = signal.getsignal(signal.SIGINT)
    if not str(getattr(before, "__module__", "")).startswith("pyspark."):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
