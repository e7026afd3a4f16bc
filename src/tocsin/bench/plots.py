"""Drawing reports; the one place that needs matplotlib, which is an extra."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any, Final

from tocsin.bench.report import Curve, Plot, Report
from tocsin.errors import ConfigurationError

_WIDTH: Final = 6.4
_HEIGHT: Final = 4.2
_MOST_IN_A_ROW: Final = 2
_GROUP: Final = 0.8  # the width of what stands over one name
_MOST_LABELS: Final = 18  # more would stand upon each other
_SHORT: Final = 9  # names that are longer stand aslant
_UNDATED: Final = {"Date": None}
"""The same figures give the same file."""


def draw(report: Report, path: Path) -> None:
    """Draw all plots of a report into one file; its ending says the format.

    Raises
    ------
    ConfigurationError
        Matplotlib is missing or cannot write such a file, or there is nothing to draw.
    """
    if not report.plots:
        msg = f"'{report.name}' has nothing to draw"
        raise ConfigurationError(msg)
    pyplot = _pyplot()
    across = min(len(report.plots), _MOST_IN_A_ROW)
    down = math.ceil(len(report.plots) / across)
    size = (_WIDTH * across, _HEIGHT * down)
    figure, axes = pyplot.subplots(down, across, figsize=size, squeeze=False, layout="constrained")
    try:
        for axis, plot in zip(axes.flat, report.plots, strict=False):
            _draw_plot(axis, plot)
        for axis in list(axes.flat)[len(report.plots) :]:
            axis.set_visible(False)
        figure.savefig(path, metadata=_UNDATED if path.suffix == ".svg" else None)
    except (OSError, ValueError) as error:
        msg = f"{path} cannot be drawn: {error}"
        raise ConfigurationError(msg) from error
    finally:
        pyplot.close(figure)


def check_can_draw(path: Path) -> None:
    """Refuse before anything runs if plots cannot be drawn into a file of that name.

    Raises
    ------
    ConfigurationError
        Matplotlib is missing, or the ending is none that it draws; the message says what to do.
    """
    _pyplot()
    canvas = importlib.import_module("matplotlib.backend_bases").FigureCanvasBase
    known = sorted(canvas.get_supported_filetypes())
    ending = path.suffix.removeprefix(".").lower()
    if ending not in known:
        what = f"its ending is none of {', '.join(known)}" if ending else "it has no ending"
        msg = f"{path} cannot be drawn: {what}; say {path.with_suffix('.svg').name}, for example"
        raise ConfigurationError(msg)


def _pyplot() -> Any:
    try:
        matplotlib = importlib.import_module("matplotlib")
        matplotlib.use("Agg")  # draws without a screen
        matplotlib.rcParams["svg.hashsalt"] = "tocsin"
        return importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        msg = "plots need matplotlib; install it with: pip install matplotlib"
        raise ConfigurationError(msg) from error


def _draw_plot(axis: Any, plot: Plot) -> None:
    if plot.log_y:
        axis.set_yscale("log")
    names = _names(plot)
    for number, curve in enumerate(plot.curves):
        if not names:
            axis.plot(curve.x, curve.y, marker="o", label=curve.name)
            continue
        places = [names.index(str(name)) for name in curve.x]
        _draw_named(axis, plot, curve, places, (number + 0.5) * _GROUP / len(plot.curves))
    if names:
        is_long = max(map(len, names)) > _SHORT
        axis.set_xticks(
            range(len(names)), names,
            rotation=20 if is_long else 0, ha="right" if is_long else "center",
        )  # fmt: skip
        axis.set_xlim(-0.5, len(names) - 0.5)
        for place in range(1, len(names)):
            axis.axvline(place - 0.5, linewidth=0.8, color="grey", alpha=0.3)
    _draw_marks(axis, plot)
    _label(axis, plot)


def _names(plot: Plot) -> list[str]:
    """Return the names under the axis, those of all curves; empty where there are sizes."""
    return list(dict.fromkeys(x for curve in plot.curves for x in curve.x if isinstance(x, str)))


def _draw_named(axis: Any, plot: Plot, curve: Curve, places: list[int], offset: float) -> None:
    """Draw bars; on a logarithmic axis points, since a bar has no foot there to be long from."""
    across = [place + offset - _GROUP / 2 for place in places]
    if not plot.log_y:
        axis.bar(across, curve.y, _GROUP / len(plot.curves), label=curve.name)
        return
    axis.plot(across, curve.y, marker="o", linestyle="none", label=curve.name)
    if len(_names(plot)) * len(plot.curves) > _MOST_LABELS:
        return
    for x, y in zip(across, curve.y, strict=True):
        axis.annotate(
            shown(y), (x, y), fontsize=7, ha="center", xytext=(0, 5), textcoords="offset points"
        )


def shown(value: float) -> str:
    """Return a value with three digits that count, and without powers of ten.

    Examples
    --------
    >>> shown(152_345.0), shown(0.02134), shown(14.24)
    ('152,000', '0.0213', '14.2')
    """
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def _draw_marks(axis: Any, plot: Plot) -> None:
    for name, level in plot.marks.items():
        axis.axhline(level, linestyle="--", linewidth=1, color="grey")
        axis.annotate(
            name, (0.01, level), xycoords=("axes fraction", "data"), fontsize=8,
            xytext=(0, 2), textcoords="offset points",
        )  # fmt: skip


def _label(axis: Any, plot: Plot) -> None:
    if plot.log_y:
        axis.margins(y=0.2)  # room for the legend
        low, high = axis.get_ylim()
        minor = "" if high > 10 * low else "{:,.10g}"  # within ten times all ticks have numbers
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        axis.yaxis.set_minor_formatter(lambda value, _: minor.format(value))
    else:
        axis.set_ylim(bottom=0)
    axis.set_title(plot.title)
    axis.set_xlabel(plot.x_label)
    axis.set_ylabel(f"{plot.y_label}, logarithmic" if plot.log_y else plot.y_label)
    axis.grid(visible=True, alpha=0.3, axis="y" if _names(plot) else "both")
    if len(plot.curves) > 1:
        axis.legend(fontsize=8)
