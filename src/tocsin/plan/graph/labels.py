"""The words that text and drawings have in common."""

from __future__ import annotations

from tocsin.plan.graph.nodes import START, PlanEdge, PlanGraph, PlanMachine, PlanRoad, PlanState


def road_label(road: PlanRoad) -> str:
    """Return `kernel, M1, reads logins, WITHIN 1 hour`."""
    slower = f" (slower, because of {road.reason})" if road.reason else ""
    parts = [f"{road.road}{slower}", f"M{road.machine}", f"reads {', '.join(road.reads)}"]
    return ", ".join(filter(None, [*parts, road.window]))


def road_memory(road: PlanRoad) -> str:
    """Return `1,234 bytes, its share of M1`, or nothing where it was not measured."""
    if road.bytes is None:
        return ""
    share = f", its share of M{road.machine}" if road.road == "kernel" else ""
    return f"{road.bytes:,} bytes{share}"


def machine_memory(machine: PlanMachine) -> str:
    """Return `6,000 bytes: index 1,000, plan 2,000, state 3,000`, or nothing."""
    memory = machine.memory
    if memory is None:
        return ""
    parts = f"index {memory.index:,}, plan {memory.plan:,}, state {memory.state:,}"
    return f"{memory.total:,} bytes: {parts}"


def machine_label(machine: PlanMachine) -> str:
    """Return `M2 join machine (general): hot & smoke`."""
    parts = [f"M{machine.number} {machine.kind} machine ({machine.road}): {machine.title}"]
    parts += [f"if {guard}" for guard in machine.guards]
    return ", ".join(filter(None, [*parts, machine.window]))


def state_lines(state: PlanState) -> list[str]:
    """Return what is to be said of a state, a line each, its name first."""
    lines = [f"S{state.number} {state.title}"]
    lines += [f"if {guard}" for guard in state.guards]
    if is_shared(state):
        lines.append(f"shared by {names_text(state.owners)}")
    if state.accepts:
        lines.append(f"completes {names_text(state.accepts)}")
    return lines


def is_shared(state: PlanState) -> bool:
    """Say whether several subscriptions came the same way to a state."""
    return state.title != START and len(state.owners) > 1


def edge_parts(edge: PlanEdge) -> list[str]:
    """Return what an edge asks for: its part or filter, its guards, its window."""
    asked = []
    if edge.machine is not None:
        asked.append(f"a match of M{edge.machine}")
    if edge.filter is not None:
        asked.append(f"F{edge.filter}")
    asked += edge.guards
    parts = [" AND ".join(_in_parentheses(asked))] if asked else []
    parts += [f"binds {bound}" for bound in edge.binds]
    return [*parts, edge.window] if edge.window else parts


def edge_label(edge: PlanEdge) -> str:
    """Return an edge in one line.

    Examples
    --------
    >>> edge_label(PlanEdge("forward", 1, 2, "b", ";", 3, guards=("ip = $x",)))
    'b: F3 AND ip = $x'
    """
    what = ", ".join(edge_parts(edge))
    if edge.kind == "filter":
        way = "" if edge.towards is None else f"to S{edge.towards}: "
        return f"{way}{edge.title} {what}".strip()
    return f"{edge.title}: {what}" if what else edge.title


def names_text(names: tuple[str, ...], *, most: int = 4) -> str:
    """Return names, the last of many as a number.

    Examples
    --------
    >>> names_text(("a", "b", "c"), most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def filter_lines(graph: PlanGraph) -> list[tuple[str, str, str]]:
    """Return number, text and access of each filter."""
    found = []
    for one in graph.filters:
        stream = "" if one.stream is None else f" from {one.stream}"
        found.append((f"F{one.number}", f"{one.text}{stream}", " or ".join(one.access)))
    return found


def _in_parentheses(asked: list[str]) -> list[str]:
    """An OR among several conditions stands in parentheses."""
    if len(asked) == 1:
        return asked
    return [f"({part})" if " OR " in part else part for part in asked]
