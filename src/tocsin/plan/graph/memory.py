"""The memory of machines and subscriptions, written into a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from tocsin.plan.graph.nodes import Memory, PlanGraph, PlanRoad


def with_memory(
    graph: PlanGraph, of_lane: Mapping[tuple[str, ...], Memory], of_watch: Mapping[str, Memory]
) -> PlanGraph:
    """Return a plan that tells the memory of those that are known.

    Subscriptions that share a machine have equal shares of its index and plan; its state belongs
    to all of them.
    """
    of_machine: dict[int, Memory] = {}
    for road in graph.roads:
        known = of_lane.get(road.reads) if road.road == "kernel" else of_watch.get(road.name)
        if known is not None:
            of_machine[road.machine] = known
    sharing = Counter(road.machine for road in graph.roads)

    def bytes_of(road: PlanRoad) -> int | None:
        memory = of_machine.get(road.machine)
        if memory is None:
            return None
        if road.road == "general":
            return memory.total
        return (memory.index + memory.plan) // sharing[road.machine]

    machines = (replace(one, memory=of_machine.get(one.number)) for one in graph.machines)
    roads = (replace(road, bytes=bytes_of(road)) for road in graph.roads)
    return replace(graph, machines=tuple(machines), roads=tuple(roads))
