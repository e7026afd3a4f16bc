"""Drawing reports; the one place that needs matplotlib, which is an extra."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any, Final

from tocsin.bench.report import Plot, Report
from tocsin.errors import ConfigurationError

_WIDTH: Final = 6.4
_HEIGHT: Final = 4.2
_MOST_IN_A_ROW: Final = 2
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


def check_can_draw() -> None:
    """Refuse before anything runs if plots cannot be drawn.

    Raises
    ------
    ConfigurationError
        Matplotlib is missing; the message says how to get it.
    """
    _pyplot()


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
    for number, curve in enumerate(plot.curves):
        if curve.x and isinstance(curve.x[0], str):
            width = 0.8 / len(plot.curves)
            places = [place + (number + 0.5) * width - 0.4 for place in range(len(curve.x))]
            axis.bar(places, curve.y, width, label=curve.name)
            axis.set_xticks(range(len(curve.x)), curve.x, rotation=20, ha="right")
        else:
            axis.plot(curve.x, curve.y, marker="o", label=curve.name)
    for name, level in plot.marks.items():
        axis.axhline(level, linestyle="--", linewidth=1, color="grey")
        axis.annotate(
            name, (0.01, level), xycoords=("axes fraction", "data"), fontsize=8,
            xytext=(0, 2), textcoords="offset points",
        )  # fmt: skip
    if plot.log_y:
        axis.set_yscale("log")
        axis.margins(y=0.2)  # room for the legend
    else:
        axis.set_ylim(bottom=0)
    axis.set_title(plot.title)
    axis.set_xlabel(plot.x_label)
    axis.set_ylabel(plot.y_label)
    axis.grid(visible=True, alpha=0.3)
    if len(plot.curves) > 1:
        axis.legend(fontsize=8)
