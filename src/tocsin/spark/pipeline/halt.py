"""`Halt`: whether a run is to stop, for its steps to ask."""

from __future__ import annotations

import threading


class HaltedError(Exception):
    """A run that was to stop did so between two steps; nobody outside of it sees this."""


class Halt:
    """Asked for in one thread, looked at in another.

    Examples
    --------
    >>> halt = Halt()
    >>> halt.look()
    >>> halt.ask()
    >>> halt.is_asked
    True
    """

    def __init__(self) -> None:
        self._asked = threading.Event()

    @property
    def is_asked(self) -> bool:
        """Whether somebody asked for it."""
        return self._asked.is_set()

    def ask(self) -> None:
        """Ask to stop before the next step."""
        self._asked.set()

    def look(self) -> None:
        """Go on, unless somebody asked to stop.

        Raises
        ------
        HaltedError
            Somebody did.
        """
        if self._asked.is_set():
            raise HaltedError
