"""The plan in the DOT language of Graphviz."""

from __future__ import annotations

from tocsin.plan.graph.labels import (
    edge_label,
    filter_lines,
    is_shared,
    machine_label,
    machine_memory,
    state_lines,
)
from tocsin.plan.graph.nodes import PlanEdge, PlanGraph, PlanMachine, PlanState

_STYLE_OF_EDGE = {"forward": "solid", "rebind": "bold", "filter": "dashed"}


def to_dot(graph: PlanGraph) -> str:
    r"""Return a plan as a DOT digraph: a cluster for each machine, the filters in a note.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> from tocsin.plan.graph import plan_graph
    >>> program = parse("SUBSCRIBE s MATCH a:[x = 1]")
    >>> print(to_dot(plan_graph(LiveProgram(program).normal(program.subscriptions))))
    digraph plan {
      rankdir=LR;
      node [shape=box, style=rounded, fontname="sans-serif"];
      edge [fontname="sans-serif", fontsize=10];
      subgraph cluster_M1 {
        label="M1 sequence machine (kernel): all sequences that read default";
        S1 [label="S1 start"];
        S2 [label="S2 after a\ncompletes s", peripheries=2];
      }
      S1 -> S2 [label="start a: F1", style=solid];
      filters [shape=note, style=solid, label="F1: x = 1 (hash on x)\l"];
    }
    """
    lines = [
        "digraph plan {",
        "  rankdir=LR;",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif", fontsize=10];',
    ]
    for machine in graph.machines:
        lines.append(f"  subgraph cluster_M{machine.number} {{")
        lines.append(f"    label={_quoted(_title(machine))};")
        lines += [f"    {_state(state)}" for state in graph.states_of(machine.number)]
        lines.append("  }")
    lines += [f"  {_edge(edge)}" for edge in graph.edges]
    if graph.filters:
        lines.append(f"  filters [shape=note, style=solid, label={_filters(graph)}];")
    return "\n".join([*lines, "}"])


def _title(machine: PlanMachine) -> str:
    return "\n".join(filter(None, (machine_label(machine), machine_memory(machine))))


def _state(state: PlanState) -> str:
    label = _quoted("\n".join(state_lines(state)))
    shared = ', style="rounded,filled", fillcolor="#fde9d9"' if is_shared(state) else ""
    complete = ", peripheries=2" if state.accepts else ""
    return f"S{state.number} [label={label}{shared}{complete}];"


def _edge(edge: PlanEdge) -> str:
    label = _quoted(f"{edge.link} {edge_label(edge)}".strip())
    style = _STYLE_OF_EDGE[edge.kind]
    return f"S{edge.source} -> S{edge.target} [label={label}, style={style}];"


def _filters(graph: PlanGraph) -> str:
    lines = [f"{number}: {text} ({access})" for number, text, access in filter_lines(graph)]
    return _quoted("\n".join(lines)).replace("\\n", "\\l")[:-1] + '\\l"'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
