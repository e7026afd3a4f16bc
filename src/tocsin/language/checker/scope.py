"""What may be said at one place of a subscription: its attributes, aliases and variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tocsin.language.checker.attributes import Attributes
from tocsin.language.checker.problems import Problems
from tocsin.language.tree import Definition, Expression, FuzzySet, Iteration, Pattern, Repeat
from tocsin.model.values import Kind

if TYPE_CHECKING:
    from tocsin.language.checker.definitions import Effect, Meaning
    from tocsin.language.checker.streams import Streams


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """What the whole program declares.

    Attributes
    ----------
    meanings
        What a DEFINE does on the attributes it was used with, by its name and their `id`; None
        while that is being found out.
    circles
        The circles of DEFINEs that were reported.
    """

    problems: Problems
    streams: Streams
    definitions: Mapping[str, Definition]
    fuzzy_sets: Mapping[str, tuple[FuzzySet, ...]]
    meanings: dict[tuple[str, int], Meaning | None] = field(default_factory=dict)
    circles: set[frozenset[str]] = field(default_factory=set)


class Bound:
    """An alias that an atom has bound.

    Attributes
    ----------
    attributes
        Those of the events it may stand for.
    loops
        The iterations around its atom, outermost first, by number.
    is_name
        Whether it is the name of a DEFINE or a stream used as an atom, which may come twice.
    """

    __slots__ = ("at", "attributes", "is_name", "loops")

    def __init__(
        self, attributes: Attributes, loops: tuple[int, ...], at: int, *, is_name: bool
    ) -> None:
        self.attributes = attributes
        self.loops = loops
        self.at = at
        self.is_name = is_name


class Scope:
    """The names that are visible where the checker stands, changed while it walks.

    Attributes
    ----------
    pattern
        The whole pattern, for messages that say where a name is bound; None in a DEFINE.
    sources
        The attributes of any event the subscription reads.
    current
        The attributes of the event that a filter looks at; None where there is no such event.
    beside
        The value that an attribute is compared with, and its kind, while that attribute is read.
    own
        The alias of the atom whose filter is being read.
    aliases, variables
        Those bound to the left.
    taken
        Every alias given so far, visible or not; alternatives may use the same.
    loops, loop_nodes
        The iterations around this place, outermost first: their numbers and themselves.
    absent
        Variables that only an absence to the left uses, and where it does.
    bound_at
        Where a variable was first bound, for messages.
    is_silent
        Whether the pattern was a silence, so that no event is there to speak of.
    effects
        In a DEFINE: what it does to variables, which the place of its use has to judge.
    definition, chain, used_at
        The name of that DEFINE, the DEFINEs that led to it, and where the first was used.
    """

    __slots__ = (
        "absent", "aliases", "beside", "bound_at", "chain", "current", "definition", "effects",
        "is_silent", "loop_count", "loop_nodes", "loops", "name_uses", "names", "own", "parameters",
        "pattern", "problems", "repeated", "reported", "sources", "taken", "twice", "used_at",
        "variables",
    )  # fmt: skip

    def __init__(self, names: Names, sources: Attributes, pattern: Pattern | None) -> None:
        self.names = names
        self.problems = names.problems
        self.pattern = pattern
        self.sources = sources
        self.current: Attributes | None = None
        self.beside: tuple[Expression, Kind] | None = None
        self.own: str | None = None
        self.aliases: dict[str, Bound] = {}
        self.variables: dict[str, Kind] = {}
        self.taken: dict[str, Bound] = {}
        self.loops: tuple[int, ...] = ()
        self.loop_nodes: tuple[Iteration | Repeat, ...] = ()
        self.loop_count = 0
        self.absent: dict[str, int] = {}
        self.bound_at: dict[str, int] = {}
        self.effects: list[Effect] | None = None
        self.definition: str | None = None
        self.chain: tuple[str, ...] = ()
        self.used_at = -1
        self.is_silent = False
        self.parameters: set[str] = set()
        # Names used as atoms several times, and where such a name is referred to.
        self.twice: set[str] = set()
        self.name_uses: list[tuple[str, int]] = []
        # What was complained about once needs no second complaint.
        self.reported: set[str] = set()
        # The atoms of an iteration by alias, found when one is needed.
        self.repeated: dict[int, dict[str, Bound]] = {}
