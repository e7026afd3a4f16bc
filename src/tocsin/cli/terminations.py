"""SIGTERM, as `docker stop`, `systemctl stop` and `kill` send it, taken for Ctrl-C."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self

from tocsin.cli.exits import INTERRUPTED, TERMINATED


class Termination:
    """Raises `KeyboardInterrupt` where the process is told to end; in a `with` statement.

    Signals come to the main thread; in another one nothing is changed.

    Attributes
    ----------
    exit_code
        What to end with after an interrupt: it tells Ctrl-C from SIGTERM.
    """

    def __init__(self) -> None:
        self.exit_code = INTERRUPTED
        self._before: Any = None
        self._is_set = False

    def __enter__(self) -> Self:
        """Begin to listen."""
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, self._interrupt)
            self._is_set = True
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the signal to whoever had it before; None stands for one outside Python."""
        if self._is_set:
            signal.signal(signal.SIGTERM, signal.SIG_DFL if self._before is None else self._before)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self.exit_code = TERMINATED
        raise KeyboardInterrupt
