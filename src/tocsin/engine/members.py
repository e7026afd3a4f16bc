"""The subscriptions of a lane: who they are, what they have been told, and what they keep."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tocsin.engine.complete import Complete
from tocsin.engine.index.hashing import sized
from tocsin.engine.linear.arrays import NONE, Int32Array, Int64Array
from tocsin.engine.policies import Policies
from tocsin.engine.state import Place
from tocsin.engine.telling import LinearTelling
from tocsin.language.normal import NormalSubscription
from tocsin.language.printer import to_text
from tocsin.language.template import FilledTable, has_parameters
from tocsin.language.tree import Subscription
from tocsin.model.notification import Notification
from tocsin.model.values import Value


@dataclass(slots=True, eq=False)
class Member:
    """One subscription of a lane.

    Attributes
    ----------
    order, made
        Its place among all subscriptions ever made, and the step in which it was made.
    number
        Its number in the plan of the lane; NONE where it finds nothing any more.
    stopped
        Why limits stopped it; None where they did not.
    dropped
        How many instances it had then.
    matched, notified
        How many matches it had when it left the plan, and how many of them its policies kept.
    """

    name: str
    telling: LinearTelling
    order: int
    made: int
    number: int
    policies: Policies = field(default_factory=Policies)
    stopped: str | None = None
    dropped: int = 0
    matched: int = 0
    notified: int = 0

    @property
    def tree(self) -> Subscription:
        """The subscription it was made from."""
        return self.telling.tree

    def emitted(self, one: Complete) -> dict[str, Value]:
        """Return what EMIT asks for."""
        return self.telling.emitted(one)

    def notification(self, one: Complete, emitted: dict[str, Value]) -> Notification:
        """Return what the subscriber is told."""
        return self.telling.notification(self.name, one, emitted)


def has_policies(tree: Subscription) -> bool:
    """Say whether a subscription in a lane chooses among its matches.

    `SINCE … ONLY NEW` chooses nothing here: what looks back at history runs on a watch.
    """
    return tree.duplicates != "ALL" or tree.pairs != "ALL" or tree.limit is not None


class Table:
    """Subscriptions made from one text and the rows of a table; members are made when asked for.

    Parameters
    ----------
    filled
        The template and its table.
    template
        In normal form.
    normal
        Gives the normal form of one row.
    first_order, made
        The place of the first among all subscriptions, and the step in which all were made.

    Attributes
    ----------
    in_force
        How many of its rows are in force.
    place
        Its number among the tables of its lane.
    """

    def __init__(
        self,
        filled: FilledTable,
        template: NormalSubscription,
        normal: Callable[[Subscription], NormalSubscription],
        first_order: int,
        made: int,
    ) -> None:
        self.filled = filled
        self.template = template
        self.first_order = first_order
        self.made = made
        self.numbers: Int32Array = np.full(len(filled), NONE, np.int32)
        self.in_force = len(filled)
        self.place = NONE
        self.left: dict[int, Member] = {}  # those that are in force but find nothing any more
        self._normal = normal
        tree = template.tree
        is_shared = not has_parameters((tree.emit, tree.limit))
        self._telling = LinearTelling(template) if is_shared else None

    @cached_property
    def fingerprint(self) -> str:
        """What tells its template and its rows from others."""
        values = sorted((self.filled.columns or {}).items())
        told = to_text(self.filled.template) + repr((self.filled.names, values))
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    def normal(self, row: int) -> NormalSubscription:
        """Return the normal form of one row."""
        return self._normal(self.filled.row(row))

    def member(self, row: int, number: int) -> Member:
        """Return the subscription of one row."""
        telling = self._telling or LinearTelling(self.normal(row))
        name, order = self.filled.names[row], self.first_order + row
        return Member(name, telling, order, self.made, number)


class Members:
    """The subscriptions of a lane by their numbers; those of tables are told apart when asked."""

    def __init__(self) -> None:
        self._single: dict[int, Member] = {}
        self._tables: dict[int, Table] = {}
        self._next_table = 0
        self._table_of: Int32Array = np.full(8, NONE, np.int32)
        self._row_of: Int32Array = np.zeros(8, np.int32)
        self.matched: Int64Array = np.zeros(8, np.int64)
        self.feeding: dict[str, int] = {}

    def reach(self, size: int) -> None:
        """Let there be so many numbers."""
        if size > len(self._table_of):
            size = max(size, 2 * len(self._table_of))
            self._table_of = sized(self._table_of, size, NONE)
            self._row_of = sized(self._row_of, size, 0)
            self.matched = sized(self.matched, size, 0)

    def add(self, member: Member) -> None:
        """Add one subscription."""
        self.reach(member.number + 1)
        self._single[member.number] = member
        self.matched[member.number] = 0
        self._count(member.tree, 1)

    def add_table(self, table: Table, numbers: Int32Array) -> None:
        """Add the subscriptions of a table, row by row."""
        self.reach(int(numbers.max()) + 1)
        table.numbers = numbers
        table.place = self._next_table
        self._next_table += 1
        self._tables[table.place] = table
        self._table_of[numbers] = table.place
        self._row_of[numbers] = np.arange(len(numbers))
        self.matched[numbers] = 0
        self._count(table.template.tree, len(numbers))

    def _count(self, tree: Subscription, change: int) -> None:
        if tree.into is not None:
            self.feeding[tree.into] = self.feeding.get(tree.into, 0) + change
            if self.feeding[tree.into] == 0:
                del self.feeding[tree.into]

    def remove(self, member: Member) -> None:
        """Take one subscription out; it remembers how often it matched."""
        self._count(member.tree, -1)
        member.matched = int(self.matched[member.number])
        self._single.pop(member.number, None)
        place = int(self._table_of[member.number])
        if place != NONE:
            table, row = self._tables[place], int(self._row_of[member.number])
            table.numbers[row] = NONE
            table.left[row] = member
            self._table_of[member.number] = NONE

    def drop_table(self, table: Table) -> None:
        """Forget a table of which no row is in force any more."""
        del self._tables[table.place]

    def held(self, table: Table) -> dict[int, Member]:
        """Return the subscriptions of a table that have something to remember, by their rows."""
        return {
            int(self._row_of[number]): member
            for number, member in self._single.items()
            if self._table_of[number] == table.place
        }

    def __getitem__(self, number: int) -> Member:
        found = self._single.get(number)
        if found is None:
            table = self._tables[int(self._table_of[number])]
            found = table.member(int(self._row_of[number]), number)
            if has_policies(found.tree):
                self._single[number] = found
        return found


def counted(numbers: Int32Array, most: int) -> tuple[Int64Array, Int64Array]:
    """Return distinct numbers, all of them below `most`, in order, and how often each comes.

    Examples
    --------
    >>> [found.tolist() for found in counted(np.array([7, 2, 7], np.int32), 8)]
    [[2, 7], [1, 2]]
    """
    if most > len(numbers):
        distinct, counts = np.unique(numbers, return_counts=True)
        return distinct.astype(np.int64), counts
    every = np.bincount(numbers)  # it costs what there could be, and no sorting
    there = np.flatnonzero(every)
    return there, every[there]


def place_of(step: int, places: Mapping[int, Place]) -> Place:
    """Return the place of an event that came in a step, or that is told by a number below 0."""
    return (step, 1) if step >= 0 else places[step]
