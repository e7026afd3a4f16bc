"""The plan as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from tocsin.plan.graph.labels import (
    edge_label,
    filter_lines,
    machine_label,
    machine_memory,
    names_text,
    road_label,
    road_memory,
    state_lines,
)
from tocsin.plan.graph.nodes import PlanEdge, PlanGraph, PlanRoad, PlanState


def to_text(graph: PlanGraph, *, width: int = 100) -> str:
    """Return a plan as lines: subscriptions, filters, then each machine with its states.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> from tocsin.plan.graph import plan_graph
    >>> program = parse("SUBSCRIBE s MATCH a:[x = 1] ; b:[x = 2] WITHIN 5 min")
    >>> print(to_text(plan_graph(LiveProgram(program).normal(program.subscriptions))))
    Plan: 1 subscription, 2 filters, 1 machine, 3 states
    <BLANKLINE>
    Subscriptions
      s  kernel, M1, reads default, WITHIN 5 min
         matches: polynomial of degree 2 in the events of 5 min
    <BLANKLINE>
    Filters
      F1  x = 1
          found by hash on x
      F2  x = 2
          found by hash on x
    <BLANKLINE>
    M1 sequence machine (kernel): all sequences that read default
      S1 start
        start to S2  a: F1
      S2 after a
        ; to S3  b: F2, WITHIN 5 min
        stays on any event
      S3 after b, completes s
    """
    sections = [_title(graph), _roads(graph, width), _filters(graph, width)]
    sections += [_machine(graph, machine.number, width) for machine in graph.machines]
    return "\n\n".join("\n".join(section) for section in sections if section)


def _title(graph: PlanGraph) -> list[str]:
    counts = (
        _counted(len(graph.roads), "subscription"),
        _counted(len(graph.filters), "filter", sum(len(f.owners) > 1 for f in graph.filters)),
        _counted(len(graph.machines), "machine"),
        _counted(len(graph.states), "state", len(graph.shared_states)),
    )
    return [f"Plan: {', '.join(counts)}"]


def _counted(count: int, noun: str, shared: int = 0) -> str:
    some = f" ({shared:,} shared)" if shared else ""
    return f"{count:,} {noun}{'' if count == 1 else 's'}{some}"


def _roads(graph: PlanGraph, width: int) -> list[str]:
    if not graph.roads:
        return []
    longest = max(len(road.name) for road in graph.roads)
    lines = ["Subscriptions"]
    for road in graph.roads:
        first, *rest = _road(road)
        lines += _wrapped(first, f"  {road.name:<{longest}}  ", width)
        for line in rest:
            lines += _wrapped(line, " " * (longest + 4), width)
    return lines


def _road(road: PlanRoad) -> Iterator[str]:
    yield road_label(road)
    if road.where:
        yield f"where: {road.where}"
    yield f"matches: {road.growth}"
    for note in road.notes:
        yield f"cost: {note}"
    if road.bytes is not None:
        yield f"memory: {road_memory(road)}"


def _filters(graph: PlanGraph, width: int) -> list[str]:
    if not graph.filters:
        return []
    lines = ["Filters"]
    longest = len(f"F{len(graph.filters)}")
    for (number, text, access), one in zip(filter_lines(graph), graph.filters, strict=True):
        shared = f"; shared by {names_text(one.owners)}" if len(one.owners) > 1 else ""
        lines += _wrapped(text, f"  {number:<{longest}}  ", width)
        lines += _wrapped(f"found by {access}{shared}", " " * (longest + 4), width)
    return lines


def _machine(graph: PlanGraph, number: int, width: int) -> list[str]:
    machine = graph.machines[number - 1]
    lines = _wrapped(machine_label(machine), "", width)
    if machine.memory is not None:
        lines += _wrapped(f"memory: {machine_memory(machine)}", "  ", width)
    for state in graph.states_of(number):
        lines += _state(graph, state, width)
    return lines


def _state(graph: PlanGraph, state: PlanState, width: int) -> list[str]:
    lines = _wrapped(", ".join(state_lines(state)), "  ", width)
    for edge in graph.edges_from(state.number):
        lines += _wrapped(edge_label(edge), f"    {_arrow(edge)}", width)
    return lines


def _arrow(edge: PlanEdge) -> str:
    """Return how an edge follows and where it leads."""
    if edge.kind == "filter":
        return ""
    word = "to" if edge.kind == "forward" else "again"
    return f"{edge.link} {word} S{edge.target}  ".lstrip()


def _wrapped(text: str, head: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        width=max(width, len(head) + 20),
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )
