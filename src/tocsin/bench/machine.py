"""The machine and the versions that figures were measured with."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Final

from tocsin._version import __version__

_PACKAGES: Final = ("pyarrow",)
_CPU_INFO: Final = Path("/proc/cpuinfo")


def machine() -> dict[str, str]:
    """Return what a reader of figures wants to know."""
    facts = {
        "tocsin": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(os.cpu_count()),
    }
    return facts | {name: metadata.version(name) for name in _PACKAGES}


def _processor() -> str:
    if _CPU_INFO.exists():
        for line in _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
