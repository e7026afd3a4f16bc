"""The plan of subscriptions as a graph: to read as text, to draw as DOT or SVG."""

from tocsin.plan.graph.build import plan_graph
from tocsin.plan.graph.nodes import (
    Memory,
    PlanEdge,
    PlanFilter,
    PlanGraph,
    PlanMachine,
    PlanRoad,
    PlanState,
)

__all__ = [
    "Memory",
    "PlanEdge",
    "PlanFilter",
    "PlanGraph",
    "PlanMachine",
    "PlanRoad",
    "PlanState",
    "plan_graph",
]
