"""The plan as a drawing: SVG without any other tool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final
from xml.sax.saxutils import escape

from tocsin.plan.graph.labels import (
    filter_lines,
    is_shared,
    machine_label,
    machine_memory,
    road_label,
    road_memory,
)
from tocsin.plan.graph.layout import BOX_WIDTH, LINE, PAD, Arrow, Box, Grid, lay_out
from tocsin.plan.graph.nodes import PlanGraph, PlanRoad

_MARGIN: Final = 24
_LEGEND_WIDTH: Final = 760
_CHAR: Final = 8
_STYLE: Final = """
text { font: 12px sans-serif; fill: #1f2328; white-space: pre; }
.title { font-weight: bold; }
.label { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
.state { fill: #ffffff; stroke: #57606a; }
.shared { fill: #fde9d9; }
.inner { fill: none; stroke: #57606a; }
.forward, .rebind, .filter { fill: none; stroke: #57606a; marker-end: url(#head); }
.rebind { stroke-width: 2.5; }
.filter { stroke-dasharray: 4 3; }
"""
_HEAD: Final = (
    '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
    'markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#57606a"/>'
    "</marker>"
)


def to_svg(graph: PlanGraph) -> str:
    """Return a plan as an SVG document: machines from top to bottom, states from left to right.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> from tocsin.plan.graph import plan_graph
    >>> program = parse("SUBSCRIBE s MATCH a:[x = 1] , b:[x = 2]")
    >>> drawing = to_svg(plan_graph(LiveProgram(program).normal(program.subscriptions)))
    >>> [f'id="S{n}"' in drawing for n in (1, 2, 3)]
    [True, True, True]
    """
    page = _Page()
    page.listed("Subscriptions", [_road(road) for road in graph.roads])
    for machine in graph.machines:
        page.title(", ".join(filter(None, (machine_label(machine), machine_memory(machine)))))
        page.grid(lay_out(graph, machine.number), machine.number)
    filters = [f"{number}: {text} ({access})" for number, text, access in filter_lines(graph)]
    page.listed("Filters", filters)
    page.parts.append(_legend(page.y))
    return _document(page.parts, page.width + 2 * _MARGIN, page.y + 70)


def _road(road: PlanRoad) -> str:
    return ", ".join(filter(None, (f"{road.name}: {road_label(road)}", road_memory(road))))


@dataclass(slots=True)
class _Page:
    """What has been drawn so far, from top to bottom."""

    parts: list[str] = field(default_factory=list)
    y: int = _MARGIN
    width: int = _LEGEND_WIDTH

    def title(self, text: str) -> None:
        self.parts.append(_text(self.y + LINE, [text], "title", x=_MARGIN))
        self.y += 2 * LINE
        self.width = max(self.width, _CHAR * len(text))

    def listed(self, title: str, lines: list[str]) -> None:
        if lines:
            self.title(title)
            self.parts.append(_text(self.y, lines, "listed", x=_MARGIN))
            self.y += (len(lines) + 1) * LINE
            self.width = max([self.width, *(_CHAR * len(line) for line in lines)])

    def grid(self, grid: Grid, machine: int) -> None:
        self.parts.append(_grid(grid, machine, self.y))
        self.y += grid.height + 2 * LINE
        self.width = max(self.width, grid.width)


def _document(body: Iterable[str], width: int, height: int) -> str:
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="plan">'
    )
    ground = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    parts = [opening, f"<style>{_STYLE}</style>", f"<defs>{_HEAD}</defs>", ground, *body, "</svg>"]
    return "\n".join(parts) + "\n"


def _grid(grid: Grid, machine: int, y: int) -> str:
    parts = [f'<g id="M{machine}" transform="translate({_MARGIN},{y})">']
    parts += [_arrow(arrow) for arrow in grid.arrows]
    parts += [_box(box) for box in grid.boxes]
    return "\n".join([*parts, "</g>"])


def _box(box: Box) -> str:
    state = box.state
    style = "state shared" if is_shared(state) else "state"
    parts = [f'<g id="S{state.number}">', f"<title>{escape(' / '.join(box.lines))}</title>"]
    parts.append(_rectangle(style, box.x, box.y, BOX_WIDTH, box.height))
    if state.accepts:
        parts.append(_rectangle("inner", box.x + 3, box.y + 3, BOX_WIDTH - 6, box.height - 6))
    parts.append(_text(box.y + PAD + 12, box.lines, "name", x=box.x + PAD))
    parts += _loops(box)
    return "\n".join([*parts, "</g>"])


def _rectangle(style: str, x: int, y: int, width: int, height: int) -> str:
    size = f'width="{width}" height="{height}" rx="8"'
    return f'<rect class="{style}" x="{x}" y="{y}" {size}/>'


def _loops(box: Box) -> list[str]:
    """Draw one arc for each kind of loop, and the words of all of them above."""
    if not box.loops:
        return []
    arcs = []
    for place, kind in enumerate(dict.fromkeys(edge.kind for edge in box.loops)):
        x = box.x + 24 + 60 * place
        arcs.append(f'<path class="{kind}" d="M{x},{box.y} c0,-18 30,-18 30,0"/>')
    top = box.y - 16 - LINE * (len(box.loop_lines) - 1)
    return [*arcs, _text(top, box.loop_lines, "label", x=box.x)]


def _arrow(arrow: Arrow) -> str:
    """Draw an edge: from its source into its row, along its label, on to its target."""
    begin, end = arrow.source.x + BOX_WIDTH, arrow.target.x
    leaves, comes, row = arrow.source.middle, arrow.target.middle, arrow.y
    first = f"M{begin},{leaves} C{begin + 16},{leaves} {begin},{row} {begin + 20},{row}"
    last = f"L{end - 24},{row} C{end - 6},{row} {end - 20},{comes} {end},{comes}"
    path = f'<path class="forward" d="{first} {last}"/>'
    top = row - 5 - LINE * (len(arrow.lines) - 1)
    return path + "\n" + _text(top, arrow.lines, "label", x=begin + 22)


def _text(y: int, lines: Iterable[str], style: str, *, x: int) -> str:
    spans = [
        f'<tspan x="{x}" dy="{LINE if place else 0}">{escape(line)}</tspan>'
        for place, line in enumerate(lines)
    ]
    return f'<text class="{style}" x="{x}" y="{y}">{"".join(spans)}</text>'


def _legend(y: int) -> str:
    """Say what the signs mean."""
    signs = (
        ('<rect class="state" x="0" y="-12" width="26" height="16" rx="4"/>', "state"),
        ('<rect class="state shared" x="0" y="-12" width="26" height="16" rx="4"/>', "shared"),
        (
            '<rect class="state" x="0" y="-12" width="26" height="16" rx="4"/>'
            '<rect class="inner" x="3" y="-9" width="20" height="10" rx="3"/>',
            "completes",
        ),
        ('<path class="forward" d="M0,-4 L26,-4"/>', "takes and goes on"),
        ('<path class="rebind" d="M0,-4 L26,-4"/>', "takes one more"),
        ('<path class="filter" d="M0,-4 L26,-4"/>', "stays or ends"),
    )
    parts, x = [f'<g id="legend" transform="translate({_MARGIN},{y + 30})">'], 0
    for sign, words in signs:
        parts.append(f'<g transform="translate({x},0)">{sign}{_text(0, [words], "w", x=32)}</g>')
        x += 32 + _CHAR * len(words) + 28
    return "\n".join([*parts, "</g>"])
