"""Limits on instances: patterns that multiply partial matches are kept in bounds, and say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tocsin.engine.complete import Complete
from tocsin.engine.linear import LinearLane
from tocsin.engine.machines.silence import SilenceMachine
from tocsin.engine.state import Left, Place
from tocsin.engine.watch import Watch
from tocsin.errors import ConfigurationError
from tocsin.model.event import Event

Policy: TypeAlias = Literal["refuse", "drop oldest", "stop"]
POLICIES = ("refuse", "drop oldest", "stop")


@dataclass(frozen=True, slots=True)
class Limits:
    """How many instances there may be, and what happens beyond.

    Attributes
    ----------
    per_subscription, total
        The most instances of one subscription and of all together; None for any number.
    policy
        `"refuse"`: no new instance is made; `"drop oldest"`: those that began first are given up;
        `"stop"`: the subscription finds nothing any more. Each is counted in `Engine.stats`.

    Examples
    --------
    >>> Limits(per_subscription=1000, policy="drop oldest").total is None
    True
    """

    per_subscription: int | None = None
    total: int | None = None
    policy: Policy = "refuse"

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            shown = ", ".join(repr(policy) for policy in POLICIES)
            msg = f"policy={self.policy!r} is unknown; use one of {shown}"
            raise ConfigurationError(msg)
        for name in ("per_subscription", "total"):
            most = getattr(self, name)
            if most is not None and most < 1:
                msg = f"{name}={most!r} leaves no room for an instance; use 1 or more, or None"
                raise ConfigurationError(msg)


class Limiter:
    """Runs watches so that their instances stay within limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.instances_of: dict[int, int] = {}

    @property
    def is_active(self) -> bool:
        """Whether there is any limit to keep."""
        return self.limits.per_subscription is not None or self.limits.total is not None

    def note(self, watch: Watch) -> None:
        """Count the instances of a subscription."""
        self.instances_of[watch.order] = instances_in(watch)

    def limit_lane(self, lane: LinearLane, lanes: list[LinearLane]) -> None:
        """Tell a lane how many instances it may have beside those of all others."""
        if not self.is_active:
            return
        total = self.limits.total
        if total is not None:
            others = sum(one.machine.live for one in lanes if one is not lane)
            total = max(0, total - others - sum(self.instances_of.values()))
        lane.limit(total, self.limits.per_subscription, self.limits.policy)

    def forget(self, order: int) -> None:
        """A subscription has ended."""
        self.instances_of.pop(order, None)

    def run(
        self,
        watch: Watch,
        place: Place,
        deadline: int | None,
        events: list[tuple[Place, Event]],
    ) -> list[Complete]:
        """Run a watch, and keep its instances within the limits."""
        if not self.is_active:
            return watch.run(place, deadline, events)
        most = self._room_of(watch)
        if self.limits.policy == "refuse":
            watch.state.world.instances = instances_in(watch)
            watch.state.world.most_instances = most
        complete = watch.run(place, deadline, events)
        if self.limits.policy != "refuse":
            self._cut(watch, most)
        self.note(watch)
        return complete

    def _room_of(self, watch: Watch) -> int:
        limits = self.limits
        others = sum(self.instances_of.values()) - self.instances_of.get(watch.order, 0)
        rooms = [limits.per_subscription, None if limits.total is None else limits.total - others]
        return max(0, min(room for room in rooms if room is not None))

    def _cut(self, watch: Watch, most: int) -> None:
        count = instances_in(watch)
        if count <= most:
            return
        if self.limits.policy == "stop":
            watch.state.stopped = f"it had {count} instances, and {most} are allowed"
            watch.state.counts.dropped += count
            watch.close()
            return
        machine = watch.state.machine
        if machine is None or isinstance(machine, SilenceMachine):
            return
        firsts = sorted(found.first for found in machine.instances())
        last = firsts[count - most - 1]
        given_up = (one for one in machine.open_places() if _began_by(one.left, last))
        watch.state.world.diary.note_places("limit", given_up)
        machine.forget(last)
        watch.state.counts.dropped += count - instances_in(watch)


def _began_by(left: Left, position: int) -> bool:
    return any(placed.position <= position for _, placed in left.taken)


def instances_in(watch: Watch) -> int:
    """Return how many instances a watch has."""
    machine = watch.state.machine
    return 0 if machine is None else sum(1 for _ in machine.instances())
