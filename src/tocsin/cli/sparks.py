"""Spark for commands: an extra, which is asked for in a sentence where it is missing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tocsin.errors import ConfigurationError


def check_spark(what: str) -> None:
    """Refuse before anything starts if Spark is not installed.

    Raises
    ------
    ConfigurationError
        It is not; the message says how to get it.
    """
    if find_spec("pyspark") is None:
        msg = f"{what} needs Spark; install it with: pip install 'tocsin[spark]'"
        raise ConfigurationError(msg)


@contextmanager
def messages_of_spark_in(path: Path) -> Iterator[None]:
    """Send what Java says into a file; it inherits standard error when it starts in here."""
    sys.stderr.flush()
    kept = os.dup(2)
    with path.open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
