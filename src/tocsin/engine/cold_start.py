"""A word to whoever waits while kernels are compiled, once for each installation."""

from __future__ import annotations

import logging
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

_LOGGER: Final = logging.getLogger("tocsin")
_MESSAGE: Final = "tocsin: compiling its kernels, once for this installation (a minute or two) ..."


def tell_if_cold(kernel: Any) -> None:
    """Say that a kernel will be compiled now, where nobody has compiled it before."""
    cache = getattr(kernel, "_cache", None)  # there is none without the compiler
    if cache is None or kernel.signatures:
        return
    name = kernel.py_func.__name__
    if any(Path(cache.cache_path).glob(f"*.{name}-*.nbi")):  # after the name of its file
        return
    _say()


@cache
def _say() -> None:
    """Say it once, however many kernels there are."""
    _LOGGER.info(_MESSAGE)
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"{_MESSAGE}\n")
