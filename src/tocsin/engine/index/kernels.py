"""How the kernels of the index are compiled.

Those that an event passes through get their arrays in named tuples, which Numba hands on by value
and counts the references of. Nothing here allocates, so that they are compiled without counting;
they may be called from any kernel.
"""

from __future__ import annotations

from typing import Any, Final

import numba

_njit: Final[Any] = numba.njit

kernel: Final = _njit(cache=True, nogil=True, _nrt=False)
inlined: Final = _njit(cache=True, nogil=True, _nrt=False, inline="always")
