"""What workers do with memory that they have freed: they keep it for the next rows.

An engine takes and frees a hundred megabytes for every table of events. By default large pieces go
back to the system at once, which hands them out again page by page, each filled with zeros. That
took a quarter of a worker's time where the system had lent its memory to others meanwhile, as
virtual machines do. Spark ends a worker that has nothing to do for a minute, and it gives all back.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from functools import cache
from typing import Final

import pyarrow as pa

if sys.platform != "win32":
    import resource

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
"""Options of glibc's mallopt: the most that is kept, and what is large."""

_KEPT: Final = 512 << 20
_LARGE: Final = (1 << 30, 32 << 20)
"""Older versions of glibc take no more than the second."""


@cache
def keep_freed_memory() -> None:
    """Let this process keep what it frees, where its C library can be told so.

    One whose memory is bounded (`spark.executor.pyspark.memory`) does not. Arrow's own allocator
    would give memory back, so that Arrow takes it from the C library, too.
    """
    if _is_bounded():
        return
    with suppress(OSError, AttributeError, TypeError):  # no glibc
        tell = ctypes.CDLL(None).mallopt
        if tell(_TRIM_THRESHOLD, _KEPT) and any(tell(_MMAP_THRESHOLD, size) for size in _LARGE):
            pa.set_memory_pool(pa.system_memory_pool())


def _is_bounded() -> bool:
    if sys.platform == "win32":
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
