"""A subscription of a lane once more on the general road, which notes how partial matches end.

Kernels keep no diary. A shadow takes the events that its lane takes and finds what the lane finds;
nobody is told of its matches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tocsin.engine.limits import instances_in
from tocsin.engine.machines.diary import Diary
from tocsin.engine.machines.machine import Machine, OpenPlace
from tocsin.engine.machines.static import no_filters
from tocsin.engine.state import Placed
from tocsin.engine.timers import Timers
from tocsin.engine.watch import Watch
from tocsin.language.normal import NormalSubscription

MOST_FOLLOWED: Final = 1_000
"""So many partial matches at once are followed: a lane may have very many more."""


class Shadow:
    """Follows the partial matches of one subscription.

    Parameters
    ----------
    subscription
        In normal form; its pattern is linear.

    Attributes
    ----------
    events
        How many events it has seen.
    """

    def __init__(self, subscription: NormalSubscription) -> None:
        self._watch = Watch(
            subscription,
            order=0,
            made=0,
            timers=Timers(),
            shared=no_filters(),
            unordered=False,
        )
        self.events = 0

    @property
    def diary(self) -> Diary:
        """How partial matches ended."""
        return self._watch.state.world.diary

    @property
    def is_cut(self) -> bool:
        """Whether there were more partial matches than it follows."""
        return self._watch.state.world.refused > 0

    def take(self, events: Iterable[Placed]) -> None:
        """Take events, each at the position that it has in the lane."""
        world = self._watch.state.world
        world.most_instances = MOST_FOLLOWED
        for placed in events:
            self.events += 1
            world.position = placed.position - 1
            if world.instances > MOST_FOLLOWED // 2:  # those that have ended are still counted
                world.instances = instances_in(self._watch)
            self._watch.run(placed.place, None, [(placed.place, placed.event)])

    def expire(self, position: int, clock: int) -> None:
        """Let end what cannot complete after a position and a moment."""
        self._watch.state.world.position = position
        self._watch.expire(clock)

    def open_places(self) -> list[OpenPlace]:
        """Return the places in which its partial matches wait."""
        machine = self._watch.state.machine
        assert isinstance(machine, Machine), "a silence is not linear, and nothing closes it"
        return list(machine.open_places())
