"""Reports become text, JSON and plots; steps become a bar."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tocsin.bench import plots
from tocsin.bench.plots import check_can_draw, draw
from tocsin.bench.report import Curve, Plot, Report, Section, columns, curve
from tocsin.bench.streaming import stream
from tocsin.cli import exits
from tocsin.cli.main import app
from tocsin.engine import Engine
from tocsin.errors import ConfigurationError

SECTION = Section("title", columns("case", "rate", "~cpu|s"), (("a", 1.5, 0.1), ("b", None, 0.2)))
LINES = Plot("lines", "n", "rate", (curve("one", [(1, 2.0), (2, 3.0)]),), {"bar": 2.5})
BARS = Plot("bars", "", "rate", (Curve("a", ("x", "y"), (1.0, 2.0)), Curve("b", ("x",), (3.0,))))


def small(*drawn: Plot) -> Report:
    return Report("small", {"events": 3}, (SECTION,), drawn, ("note",))


@pytest.fixture
def tocsin() -> Callable[..., Any]:
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def test_a_report_is_ready_for_json() -> None:
    found = json.loads(json.dumps(small().to_dict()))
    assert found["name"] == "small"
    assert found["parameters"] == {"events": 3}
    assert found["sections"][0]["units"] == {"cpu": "s"}
    assert found["sections"][0]["rows"][1] == {"case": "b", "rate": None, "cpu": 0.2}
    assert {"tocsin", "python", "processor"} <= set(found["machine"])


def test_parts_of_a_stream_are_all_of_it() -> None:
    import pyarrow as pa  # noqa: PLC0415 - the only test here that needs it

    events = pa.table({"ts": range(11), "x": [1] * 11})
    found = stream(Engine("SUBSCRIBE s MATCH [x = 1]"), events, runs=2)
    assert found.notifications == 11
    assert [run.events for run in (found.warm_up, *found.runs)] == [3, 3, 5]
    assert found.rate in found.rates or found.rates[0] != found.rates[1]


def test_without_matplotlib_a_sentence_says_how_to_get_it(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigurationError, match="pip install matplotlib"):
        check_can_draw(Path("a.svg"))


class FakeAxis:
    """Counts what is drawn on it."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: self.calls.append(name)

    @property
    def yaxis(self) -> FakeAxis:
        return self

    def get_ylim(self) -> tuple[float, float]:
        return (1.0, 100.0)


class FakePyplot(types.SimpleNamespace):
    """As much of matplotlib as is used, for machines without it."""

    def subplots(self, down: int, across: int, **_: Any) -> tuple[Any, Any]:
        self.axes = [FakeAxis() for _ in range(down * across)]
        return self, types.SimpleNamespace(flat=self.axes)

    def savefig(self, path: Path, *, metadata: Any) -> None:
        self.metadata = metadata
        if path.suffix == ".nothing":
            msg = "unknown format"
            raise ValueError(msg)
        path.write_text("drawn")

    def close(self, _: Any) -> None:
        self.closed = True


@pytest.fixture
def pyplot(monkeypatch: pytest.MonkeyPatch) -> FakePyplot:
    made = FakePyplot(closed=False)
    monkeypatch.setattr(plots, "_pyplot", lambda: made)
    return made


def test_lines_bars_and_levels_are_drawn(pyplot: FakePyplot, tmp_path: Path) -> None:
    draw(small(LINES, BARS, LINES), tmp_path / "all.svg")
    lines, bars, _, unused = pyplot.axes
    assert lines.calls.count("plot") == lines.calls.count("axhline") == 1
    assert bars.calls.count("bar") == 2
    assert bars.calls.count("axvline") == 1  # between two names
    assert unused.calls == ["set_visible"]
    assert (tmp_path / "all.svg").read_text() == "drawn"
    assert pyplot.metadata == {"Date": None}
    assert pyplot.closed


def test_on_a_logarithmic_axis_points_with_values_stand_for_bars(
    pyplot: FakePyplot, tmp_path: Path
) -> None:
    draw(small(replace(BARS, log_y=True)), tmp_path / "all.svg")
    (axis,) = pyplot.axes
    assert (axis.calls.count("bar"), axis.calls.count("plot")) == (0, 2)
    assert axis.calls.count("annotate") == sum(len(curve.x) for curve in BARS.curves)


def test_curves_over_different_names_stand_over_their_own() -> None:
    pytest.importorskip("matplotlib", reason="pip install matplotlib")
    curves = (Curve("one", ("a", "b"), (1.0, 2.0)), Curve("two", ("b", "c"), (3.0, 4.0)))
    figure, axis = plots._pyplot().subplots()
    plots._draw_plot(axis, Plot("t", "", "s", curves))
    assert [one.get_text() for one in axis.get_xticklabels()] == ["a", "b", "c"]
    middles = [round(bar.get_x() + bar.get_width() / 2) for bar in axis.patches]
    assert middles == [0, 1, 1, 2]
    plots._pyplot().close(figure)


def test_what_cannot_be_drawn_is_said(pyplot: FakePyplot, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be drawn: unknown format"):
        draw(small(LINES), tmp_path / "all.nothing")
    assert pyplot.closed
    with pytest.raises(ConfigurationError, match="'small' has nothing to draw"):
        draw(small(), tmp_path / "all.svg")


def test_a_command_shows_tables_and_writes_json_and_a_plot(
    tocsin: Callable, pyplot: FakePyplot, tmp_path: Path
) -> None:
    figures, drawn = tmp_path / "f.json", tmp_path / "f.svg"
    result = tocsin(
        "bench", "filter", "--events", 20, "--filters", 9, "--json", figures, "--plot", drawn
    )
    assert result.exit_code == exits.FINE, result.output
    assert "filter: events gauss, filters falling" in result.stdout
    assert len(json.loads(figures.read_text())["sections"]) == 9
    assert drawn.exists()
    assert pyplot.closed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("login", "--variant", "fb.noskip.w6"), "Did you mean 'fb.noskip.w5'?"),
        (("cayuga", "--template", "Nothing"), "There are: LinearStat"),
        (("stock", "--peer", "spark"), "there is no peer 'spark'"),
        (("pool", "--peer", "flink"), "the peer flink cannot run; missing: "),
        (("login", "--data", "nowhere"), "login.csv cannot be read"),
        (("filter", "--json", "nowhere/f.json"), "cannot be written"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_runs(
    words: tuple[str, ...], said: str, tocsin: Callable
) -> None:
    result = tocsin("bench", *words)
    assert result.exit_code == exits.WRONG_USAGE
    assert said in result.stderr.replace("\n", " ")
