"""The live plan: recipes come and go, equal beginnings are stored once."""

from __future__ import annotations

from tocsin.engine.linear.arrays import Int32Array, Int64Array
from tocsin.engine.linear.plan_adding import Adding
from tocsin.engine.linear.plan_listing import Listing
from tocsin.engine.linear.plan_removing import Removing
from tocsin.engine.linear.plan_tables import PlanTables
from tocsin.engine.linear.recipe import Recipe
from tocsin.engine.linear.releasing import Releasing


class PlanStore(PlanTables):
    """Nodes, groups and moves of all subscriptions of a lane.

    A group and a move hold one use of their filters and guards, however many subscriptions share
    them. A node is let go with the last subscription that passes through it.

    Parameters
    ----------
    releasing
        Takes back what is used no more.
    queues
        Whether instances that wait for one filter are looked for in one queue.
    """

    def __init__(self, releasing: Releasing, *, queues: bool = True) -> None:
        super().__init__()
        self._listing = Listing(self, queues=queues)
        self._adding = Adding(self, releasing, self._listing)
        self._removing = Removing(self, releasing)

    def add(self, recipe: Recipe, count: int, *, made: int, own: Int64Array | None) -> Int32Array:
        """Add so many subscriptions made from one recipe; return their numbers.

        Parameters
        ----------
        made
            The position from which on events count for them.
        own
            A number for each that keeps it from sharing with others; None where they may share.
        """
        return self._adding.add(recipe, self.new_subscriptions(count, made), own)

    def find(self, recipe: Recipe, count: int, own: Int64Array | None) -> list[Int32Array]:
        """Return the nodes of a recipe that is in the plan, op by op; uses are given back."""
        return self._adding.take_nodes(recipe, count, own)

    def take_moved(self) -> bool:
        """Say whether groups have left their queue since the last time."""
        moved, self._listing.has_moved = self._listing.has_moved, False
        return moved

    def remove(self, subscription: int) -> list[int]:
        """Take a subscription out; return the groups that nobody waits in any more.

        Their instances must be closed before the next `add`: numbers come again.
        """
        gone = self._removing.remove(subscription)
        if self.size == 0:
            self.reset()
        return gone
