"""A word to whoever waits while kernels are compiled, once on each machine."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any, Final

_LOGGER: Final = logging.getLogger("tocsin")
_MESSAGE: Final = "tocsin: compiling its kernels, once on this machine (about a minute) ..."


def tell_if_cold(kernel: Any) -> None:
    """Say that a kernel will be compiled now, where nobody has compiled it before."""
    cache = getattr(kernel, "_cache", None)  # there is none without the compiler
    if cache is None or kernel.signatures:
        return
    name = kernel.py_func.__name__
    if any(Path(cache.cache_path).glob(f"{name}.{name}-*.nbi")):
        return
    _LOGGER.info(_MESSAGE)
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"{_MESSAGE}\n")
