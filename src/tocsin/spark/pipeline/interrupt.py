"""Work on Spark that Ctrl-C stops cleanly.

Python asks Spark over a socket, and an interrupt in the middle of a question leaves the answer half
read. So the thread that is interrupted asks nothing: it waits for another one, which does the work.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

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
        Called after an interrupt, again and again until the work has ended. It says whether there
        is anything to wait for.

    Attributes
    ----------
    result
        What the work returned; None before, and where it ended with an error.
    """

    def __init__(self, work: Callable[[], T], stop: Callable[[], bool]) -> None:
        self.work = work
        self.stop = stop
        self.result: T | None = None
        self.error: BaseException | None = None
        self.ended = threading.Event()  # a thread whose join is interrupted passes for ended

    def run(self) -> T:
        """Do the work; where interrupts come to another thread, in this one.

        Raises
        ------
        KeyboardInterrupt
            It was interrupted, and has been stopped.
        """
        if threading.current_thread() is not threading.main_thread():
            return self.work()
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(self._work,), daemon=True)
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

    def _work(self) -> None:
        try:
            self.result = self.work()
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()

    def _stop(self) -> None:
        end = time.monotonic() + _PATIENCE_S
        while not self.ended.is_set() and time.monotonic() < end and self.stop():
            self.ended.wait(_LOOK_S)
