"""Charts as SVG, drawn by hand, so that a page needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

COLOURS: Final = (
    "#c2410c", "#1d4ed8", "#047857", "#a16207", "#7e22ce", "#0e7490", "#be123c", "#4d7c0f",
)  # fmt: skip
_WIDTH: Final = 900
_LEFT: Final = 48
_HEIGHT: Final = 260
_BOTTOM: Final = 28
_TOP: Final = 12
_ROW: Final = 26
_NAMES: Final = 180


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many of each kind fall into each of several bins of equal width.

    Attributes
    ----------
    labels
        One for each bin; an empty one is not written.
    counts
        By kind; one for each bin.
    """

    labels: Sequence[str]
    counts: Mapping[str, Sequence[int]]


def stacked(histogram: Histogram, title: str) -> str:
    """Return bars side by side, the kinds of each on top of one another.

    Examples
    --------
    >>> chart = stacked(Histogram(["8 h", "9 h"], {"rise": [1, 2], "fall": [0, 3]}), "matches")
    >>> chart.count("<rect"), "fall: 3" in chart
    (3, True)
    """
    bins = len(histogram.labels)
    totals = [sum(counts[place] for counts in histogram.counts.values()) for place in range(bins)]
    highest = max([*totals, 1])
    step, scale = (_WIDTH - _LEFT) / max(bins, 1), (_HEIGHT - _BOTTOM - _TOP) / highest
    parts = [_grid(highest, scale)]
    bases = [0] * bins
    for number, (kind, counts) in enumerate(histogram.counts.items()):
        for place, count in enumerate(counts):
            if not count:
                continue
            x, y = _LEFT + place * step, _HEIGHT - _BOTTOM - (bases[place] + count) * scale
            told = f"{histogram.labels[place]} {kind}: {count:,}".strip()
            parts.append(_bar(x + 1, y, step - 2, count * scale, number, told))
            bases[place] += count
    parts += [
        _text(_LEFT + (place + 0.5) * step, _HEIGHT - 8, label, "middle")
        for place, label in enumerate(histogram.labels)
        if label and place % max(1, bins // 12) == 0
    ]
    return _svg(_HEIGHT, title, parts)


def bars(counts: Mapping[str, int], title: str) -> str:
    """Return a bar for each name, from top to bottom, with its number.

    Examples
    --------
    >>> bars({"rise": 2, "fall": 0}, "matches").count("<rect")
    2
    """
    scale = (_WIDTH - _NAMES - 90) / max([*counts.values(), 1])
    parts = []
    for place, (name, count) in enumerate(counts.items()):
        y = _TOP + place * _ROW
        parts.append(_text(_NAMES - 8, y + 14, name, "end"))
        parts.append(_bar(_NAMES, y, count * scale, _ROW - 8, place, f"{name}: {count:,}"))
        parts.append(_text(_NAMES + count * scale + 6, y + 14, f"{count:,}", "start"))
    return _svg(_TOP + len(counts) * _ROW + 4, title, parts)


def legend(kinds: Sequence[str]) -> str:
    """Return HTML that tells which colour is which kind."""
    marks = (
        f'<span class="mark" style="background:{_colour(number)}"></span>{escape(kind)}'
        for number, kind in enumerate(kinds)
    )
    return f'<p class="legend">{" ".join(marks)}</p>'


def _grid(highest: int, scale: float) -> str:
    found = []
    for part in sorted({round(highest * quarter / 4) for quarter in range(5)}):
        y = _HEIGHT - _BOTTOM - part * scale
        found.append(f'<path class="grid" d="M{_LEFT},{y:.1f} H{_WIDTH}"/>')
        found.append(_text(_LEFT - 6, y + 4, f"{part:,}", "end"))
    return "".join(found)


def _bar(x: float, y: float, width: float, height: float, colour: int, told: str) -> str:  # noqa: PLR0913 - a box
    box = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}"'
    return f'<rect {box} fill="{_colour(colour)}"><title>{escape(told)}</title></rect>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _svg(height: int, title: str, parts: Sequence[str]) -> str:
    head = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg">'
    return f"{head}<title>{escape(title)}</title>{''.join(parts)}</svg>"
