"""The engine's word that it compiles its kernels, where no terminal shows it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tocsin.cli.consoles import say

_LOGGER: Final = logging.getLogger("tocsin")


class _Saying(logging.Handler):
    """Says what is logged, as commands say things."""

    def emit(self, record: logging.LogRecord) -> None:
        """Say it."""
        say(record.getMessage())


@contextmanager
def told_of_compiling() -> Iterator[None]:
    """Say in files and pipes too why the first run takes a minute; to a terminal the engine does.

    Examples
    --------
    >>> with told_of_compiling():
    ...     _LOGGER.isEnabledFor(logging.INFO)
    True
    """
    if sys.stderr is None or sys.stderr.isatty():
        yield
        return
    handler, level = _Saying(), _LOGGER.level
    _LOGGER.addHandler(handler)
    _LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)
        _LOGGER.setLevel(level)
