"""Lanes in snapshots: their state by itself, and what their subscriptions have kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tocsin.engine.course import Course
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.linear.arrays import NONE
from tocsin.engine.linear.lane_state import LaneState, freeze_lane, thaw_lane
from tocsin.engine.members import Member
from tocsin.language.normal import NormalSubscription
from tocsin.plan.linear import linear_form


def freeze_lanes(course: Course) -> dict[str, Any]:
    """Return the state of all lanes and of their subscriptions, made of plain parts."""
    lanes = [
        (unit.sources, unit.frozen_places(), _packed(freeze_lane(unit.lane)))
        for unit in course.lanes.values()
    ]
    members = {
        order: member_state(unit, member) for order, (unit, member) in course.members.items()
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
        set_member_state(member, state["members"][order])
        if member.number != NONE:
            unit.members.matched[member.number] = member.matched
    for sources, places, packed in state["lanes"]:
        unit = course.lanes[sources]
        unit.thaw_places(places)
        thaw_lane(unit.lane, _unpacked(packed))


def member_state(unit: LaneUnit, member: Member) -> tuple[Any, ...]:
    """Return what a subscription has to remember."""
    matched = unit.matched(member)
    return member.policies, member.stopped, member.dropped, matched, member.notified


def set_member_state(member: Member, state: tuple[Any, ...]) -> None:
    """Let a subscription remember what it had to."""
    member.policies, member.stopped, member.dropped, member.matched, member.notified = state


def _packed(state: LaneState) -> dict[str, Any]:
    return {
        name: [plain(one) for one in value] if isinstance(value, list) else value
        for name, value in state._asdict().items()
    }


def _unpacked(packed: dict[str, Any]) -> LaneState:
    parts: dict[str, Any] = {
        name: [array_of(one) for one in value] if isinstance(value, list) else value
        for name, value in packed.items()
    }
    return LaneState(**parts)


def plain(one: Any) -> Any:
    """Return an array made of plain parts; anything else stays."""
    if isinstance(one, np.ndarray):
        return {"dtype": one.dtype.str, "shape": one.shape, "bytes": one.tobytes()}
    return one


def array_of(one: Any) -> Any:
    """Return the array that `plain` was given; anything else stays."""
    if isinstance(one, dict):
        return np.frombuffer(one["bytes"], one["dtype"]).reshape(one["shape"]).copy()
    return one
