"""Lanes in snapshots: their state by itself, and what their subscriptions have kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tocsin.engine.course import Course
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.linear.arrays import NONE
from tocsin.engine.linear.lane_state import LaneState, NodesOf, freeze_lane, thaw_lane
from tocsin.language.normal import NormalSubscription
from tocsin.plan.linear import linear_form


def freeze_lanes(course: Course) -> dict[str, Any]:
    """Return the state of all lanes and of their subscriptions, made of plain parts."""
    lanes = [
        (unit.sources, unit.frozen_places(), _packed(freeze_lane(unit.lane, _nodes(course, unit))))
        for unit in course.lanes.values()
    ]
    members = {
        order: (
            member.policies,
            member.stopped,
            member.dropped,
            unit.matched(member),
            member.notified,
        )
        for order, (unit, member) in course.members.items()
    }
    return {"lanes": lanes, "members": members}


def thaw_lanes(
    course: Course,
    normal: Mapping[str, NormalSubscription],
    listed: list[list[Any]],
    state: dict[str, Any],
) -> None:
    """Let the subscriptions of a snapshot join their lanes, and go on from their state."""
    for name, order, made, number in listed:
        form = None if number == NONE else linear_form(normal[name])
        member = course.join_lane(normal[name], form, order, made)
        unit, _ = course.members[order]
        kept = state["members"][order]
        member.policies, member.stopped, member.dropped, member.matched, member.notified = kept
        if member.number != NONE:
            unit.members.matched[member.number] = member.matched
    for sources, places, packed in state["lanes"]:
        unit = course.lanes[sources]
        unit.thaw_places(places)
        thaw_lane(unit.lane, _unpacked(packed), _nodes(course, unit))


def _nodes(course: Course, unit: LaneUnit) -> NodesOf:
    known: dict[int, list[int]] = {}

    def nodes_of(order: int) -> list[int]:
        if order not in known:
            _, member = course.members[order]
            known[order] = unit.lane.nodes_of(linear_form(member.telling.subscription), order)
        return known[order]

    return nodes_of


def _packed(state: LaneState) -> dict[str, Any]:
    return {
        name: [_plain(one) for one in value] if isinstance(value, list) else value
        for name, value in state._asdict().items()
    }


def _unpacked(packed: dict[str, Any]) -> LaneState:
    parts: dict[str, Any] = {
        name: [_array(one) for one in value] if isinstance(value, list) else value
        for name, value in packed.items()
    }
    return LaneState(**parts)


def _plain(one: Any) -> Any:
    if isinstance(one, np.ndarray):
        return {"dtype": one.dtype.str, "shape": one.shape, "bytes": one.tobytes()}
    return one


def _array(one: Any) -> Any:
    if isinstance(one, dict):
        return np.frombuffer(one["bytes"], one["dtype"]).reshape(one["shape"]).copy()
    return one
