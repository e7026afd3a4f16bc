"""Whether an engine remembers anything that an engine made anew would not know."""

from __future__ import annotations

from tocsin.engine.course import Course
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.members import has_policies
from tocsin.engine.watch import Watch
from tocsin.language.normal import Chain, Counted, Silence
from tocsin.plan.partition.shape import leads_of, nodes_of


def is_idle(course: Course) -> bool:
    """Say whether nothing that came matters any more. True is certain, False is a guess."""
    if course.history is not None or len(course.timers):
        return False
    course.catch_up_all()
    trees = [member.tree for _, member in course.members.values()]
    trees += [table.template.tree for _, table in course.tables]
    return (
        not any(map(has_policies, trees))
        and all(map(_is_empty, course.lanes.values()))
        and all(map(_is_waiting, course.watches.values()))
    )


def _is_empty(unit: LaneUnit) -> bool:
    unit.lane.sweep()
    return unit.lane.machine.live == 0


def _is_waiting(watch: Watch) -> bool:
    """Say whether a subscription waits for its first event."""
    state = watch.state
    if state.machine is None or has_policies(watch.tree) or _counts_from_start(watch):
        return False
    # Events that it keeps are for instances that wait for deadlines, and there is none.
    return next(iter(state.machine.instances()), None) is None


def _counts_from_start(watch: Watch) -> bool:
    return any(
        isinstance(node, Counted | Silence)
        or (isinstance(node, Chain) and next(leads_of(node), None) is not None)
        for node in nodes_of(watch.subscription.pattern)
    )
