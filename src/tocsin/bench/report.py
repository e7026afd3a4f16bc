"""What a benchmark found: tables, curves and words, ready for a terminal, a plot or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tocsin.bench.machine import machine

Cell: TypeAlias = str | int | float | None
_FEW: Final = 100
"""Below it a number keeps its decimals."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    unit
        What stands behind each number; `%` makes a percentage of a share.
    is_detail
        Whether only the JSON has it.
    """

    name: str
    unit: str = ""
    is_detail: bool = False

    def show(self, value: Cell) -> str:
        """Return a cell as text.

        Examples
        --------
        >>> Column("rate").show(123456.7), Column("growth", "x").show(2.5)
        ('123,457', '2.50 x')
        >>> Column("merged", "%").show(0.25), Column("bytes").show(None)
        ('25.0 %', '')
        """
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if self.unit == "%":
            return f"{value:.1%}".replace("%", " %")
        return f"{_number(value)} {self.unit}".rstrip()


def _number(value: float) -> str:
    if isinstance(value, int) or abs(value) >= _FEW:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 or value == 0 else f"{value:.3g}"


@dataclass(frozen=True, slots=True)
class Section:
    """A table of a report; every row has a cell for every column."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def shown(self) -> tuple[list[str], list[list[str]]]:
        """Return the names of the columns and the rows as text, without details and empty ones.

        Examples
        --------
        >>> shown = columns("n", "~cpu|s", "growth|x", "peer")
        >>> Section("", shown, ((1000, 0.5, 1.5, None),)).shown()
        (['n', 'growth'], [['1,000', '1.50 x']])
        """
        places = [
            i
            for i, column in enumerate(self.columns)
            if not column.is_detail and any(row[i] is not None for row in self.rows)
        ]
        names = [self.columns[i].name for i in places]
        return names, [[self.columns[i].show(row[i]) for i in places] for row in self.rows]

    def to_dict(self) -> dict[str, object]:
        """Return it ready for JSON: each row by the names of the columns."""
        names = [column.name for column in self.columns]
        rows = [dict(zip(names, row, strict=True)) for row in self.rows]
        units = {column.name: column.unit for column in self.columns if column.unit}
        return {"title": self.title, "units": units, "rows": rows}


@dataclass(frozen=True, slots=True)
class Curve:
    """Values over sizes; or over names, which are drawn as bars."""

    name: str
    x: tuple[float, ...] | tuple[str, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """Curves with common axes; `marks` are levels to compare with, by name."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    marks: Mapping[str, float] = field(default_factory=dict)
    log_y: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one benchmark found.

    Attributes
    ----------
    name
        What `tocsin bench` calls it.
    parameters
        Sizes, seeds and options that it ran with.
    notes
        What a reader of the figures must know.
    """

    name: str
    parameters: Mapping[str, object]
    sections: tuple[Section, ...]
    plots: tuple[Plot, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return it ready for JSON, with the machine it ran on."""
        return {
            "name": self.name,
            "machine": machine(),
            "parameters": dict(self.parameters),
            "sections": [section.to_dict() for section in self.sections],
            "notes": list(self.notes),
        }


def columns(*names: str) -> tuple[Column, ...]:
    """Return columns by name; what stands behind `|` is the unit, and `~` begins a detail.

    Examples
    --------
    >>> columns("growth|x", "~cpu|s")
    (Column(name='growth', unit='x', is_detail=False), Column(name='cpu', unit='s', is_detail=True))
    """
    parts = [name.removeprefix("~").partition("|") for name in names]
    return tuple(
        Column(short, unit, is_detail=name.startswith("~"))
        for name, (short, _, unit) in zip(names, parts, strict=True)
    )


def curve(name: str, points: Sequence[tuple[float, float]]) -> Curve:
    """Return a curve through points."""
    return Curve(name, tuple(x for x, _ in points), tuple(y for _, y in points))
