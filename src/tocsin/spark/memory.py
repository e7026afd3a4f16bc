"""What the workers of `match` do with memory that they have freed: they keep it for the next rows.

An engine takes and frees hundreds of megabytes for every table of events. By default most of it
goes back to the system, which hands it out again page by page, each filled with zeros. That took a
quarter of a worker's time where the system had lent its memory to others meanwhile, as virtual
machines do. So a worker stays near the most that it ever held, until Spark ends it: when no worker
of the executor has had anything to do for a minute.
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
"""Options of glibc's mallopt: how much may be free at the end of the heap before that is given
back, and from which size on a piece is none of the heap but goes back by itself."""

_FREE: Final = 512 << 20
_LARGE: Final = (1 << 30, 32 << 20)
"""Older versions of glibc take no more than the second."""


@cache
def keep_freed_memory() -> None:
    """Let this process keep what it frees, where its C library can be told so.

    One whose memory is bounded (`spark.executor.pyspark.memory`) does not. Arrow's own allocator
    would give memory back, so that Arrow takes it from the C library, too.
    """
    if is_bounded():
        return
    with suppress(OSError, AttributeError, TypeError):  # no glibc
        tell = ctypes.CDLL(None).mallopt
        if tell(_TRIM_THRESHOLD, _FREE) and any(tell(_MMAP_THRESHOLD, size) for size in _LARGE):
            pa.set_memory_pool(pa.system_memory_pool())


def is_bounded() -> bool:
    """Say whether the memory of this process is bounded."""
    if sys.platform == "win32":
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
