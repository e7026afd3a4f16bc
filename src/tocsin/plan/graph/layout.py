"""Where the states and edges of a plan stand in a drawing: layers from left to right.

A machine is a grid. The column of a state is its distance from the start, along the longest way.
Edges are followed depth first; the first one goes on in the row of its source, each further one
opens a row of its own, so that labels never lie on one another.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tocsin.plan.graph.labels import edge_label, edge_parts, state_lines
from tocsin.plan.graph.nodes import PlanEdge, PlanGraph, PlanState

LINE: Final = 15
"""The height of a line of text, in pixels; all lengths here are pixels."""
BOX_WIDTH: Final = 190
GAP_WIDTH: Final = 230
PAD: Final = 8
_ROW_GAP: Final = 22
_BOX_CHARS: Final = 24
_GAP_CHARS: Final = 28
_LOOP_CHARS: Final = 26


@dataclass(frozen=True, slots=True)
class Box:
    """A state: its upper left corner, its size, its lines, and what stands above it."""

    state: PlanState
    x: int
    y: int
    height: int
    lines: tuple[str, ...]
    loops: tuple[PlanEdge, ...]
    loop_lines: tuple[str, ...]

    @property
    def middle(self) -> int:
        """The height at which edges come and go."""
        return self.y + self.height // 2


@dataclass(frozen=True, slots=True)
class Arrow:
    """A forward edge: the boxes it joins, the height of its label, and the label."""

    edge: PlanEdge
    source: Box
    target: Box
    y: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A machine laid out, its own upper left corner at (0, 0)."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    width: int
    height: int


def lay_out(graph: PlanGraph, machine: int) -> Grid:
    """Return where the states and edges of one machine stand."""
    states = graph.states_of(machine)
    places = _Places(graph)
    for state in states:
        if state.number not in places.row_of_state:
            places.place(state.number, places.new_row())
    columns = _columns(graph, states)
    contents = {state.number: _content(graph, state) for state in states}
    middles = _middles(places, contents)
    boxes = {
        state.number: _box(contents[state.number], columns[state.number], middles, places)
        for state in states
    }
    arrows = tuple(
        Arrow(edge, boxes[edge.source], boxes[edge.target], middles[row], _edge_lines(edge))
        for edge, row in places.row_of_edge.items()
    )
    width = max(box.x + BOX_WIDTH for box in boxes.values())
    height = max(box.y + box.height for box in boxes.values())
    return Grid(tuple(boxes.values()), arrows, width, max([height, *middles]))


@dataclass(slots=True)
class _Places:
    """The rows of states and edges."""

    graph: PlanGraph
    rows: int = 0
    row_of_state: dict[int, int] = field(default_factory=dict)
    row_of_edge: dict[PlanEdge, int] = field(default_factory=dict)

    def new_row(self) -> int:
        self.rows += 1
        return self.rows - 1

    def place(self, state: int, row: int) -> None:
        """Give a row to a state and to all edges and states behind it."""
        self.row_of_state[state] = row
        leaving = (e for e in self.graph.edges_from(state) if e.kind == "forward")
        for place, edge in enumerate(leaving):
            own = row if place == 0 else self.new_row()
            self.row_of_edge[edge] = own
            if edge.target not in self.row_of_state:
                self.place(edge.target, own)


@dataclass(frozen=True, slots=True)
class _Content:
    state: PlanState
    lines: tuple[str, ...]
    loops: tuple[PlanEdge, ...]
    loop_lines: tuple[str, ...]

    @property
    def height(self) -> int:
        return LINE * len(self.lines) + 2 * PAD

    @property
    def above(self) -> int:
        """What is needed above the middle: half the box, the loop, and its words."""
        loop = 14 + LINE * len(self.loop_lines) if self.loops else 0
        return self.height // 2 + loop


def _content(graph: PlanGraph, state: PlanState) -> _Content:
    loops = tuple(e for e in graph.edges_from(state.number) if e.kind != "forward")
    words = [line for edge in loops for line in _wrapped(loop_text(edge), _LOOP_CHARS)]
    lines = [line for text in state_lines(state) for line in _wrapped(text, _BOX_CHARS)]
    return _Content(state, tuple(lines), loops, tuple(words))


def loop_text(edge: PlanEdge) -> str:
    """Return what stands at an edge that leads back to its own state."""
    if edge.kind == "filter":
        return edge_label(edge)
    return f"again {edge.link} {edge_label(edge)}".replace("  ", " ")


def _columns(graph: PlanGraph, states: Iterable[PlanState]) -> dict[int, int]:
    """Return the longest way to each state; edges lead from earlier columns to later ones."""
    columns = {state.number: 0 for state in states}
    edges = [e for s in columns for e in graph.edges_from(s) if e.kind == "forward"]
    for _ in columns:
        changed = False
        for edge in edges:
            if columns[edge.target] <= columns[edge.source]:
                columns[edge.target] = columns[edge.source] + 1
                changed = True
        if not changed:
            break
    return columns


def _middles(places: _Places, contents: dict[int, _Content]) -> list[int]:
    """Return the height of the middle of each row."""
    above, below = [0] * places.rows, [0] * places.rows
    for state, row in places.row_of_state.items():
        above[row] = max(above[row], contents[state].above)
        below[row] = max(below[row], contents[state].height // 2)
    for edge, row in places.row_of_edge.items():
        above[row] = max(above[row], LINE * len(_edge_lines(edge)) + 4)
    found, y = [], 0
    for up, down in zip(above, below, strict=True):
        found.append(y + up)
        y += up + down + _ROW_GAP
    return found


def _box(content: _Content, column: int, middles: list[int], places: _Places) -> Box:
    middle = middles[places.row_of_state[content.state.number]]
    return Box(
        content.state,
        column * (BOX_WIDTH + GAP_WIDTH),
        middle - content.height // 2,
        content.height,
        content.lines,
        content.loops,
        content.loop_lines,
    )


def _edge_lines(edge: PlanEdge) -> tuple[str, ...]:
    head = f"{edge.link} {edge.title}".strip()
    texts = [head, *edge_parts(edge)]
    return tuple(line for text in texts for line in _wrapped(text, _GAP_CHARS))


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width=width, break_long_words=True, break_on_hyphens=False)
