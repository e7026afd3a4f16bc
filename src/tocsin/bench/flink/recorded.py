"""Rates of the peer that somebody wrote down elsewhere; they are never mixed with measured ones."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_FILE: Final = "RESULTS.md"
_CELLS: Final = 8


def recorded_rates(directory: Path | None) -> dict[str, float]:
    """Return the best rate on one core that `RESULTS.md` has for each variant; none without it.

    A variant that was never bound to a core has its rate with the core shared.
    """
    path = None if directory is None else directory / _FILE
    if path is None or not path.is_file():
        return {}
    rates: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == _CELLS and cells[1] == "1":
            rates.setdefault(cells[0], {})[cells[2]] = float(cells[3].replace(",", ""))
    return {name: by.get("pinned") or max(by.values()) for name, by in rates.items()}
