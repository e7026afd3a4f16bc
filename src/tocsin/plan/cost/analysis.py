"""`cost_of`: which operators of a subscription can need more and more memory, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tocsin.language.normal import NormalSubscription
from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Conjunction,
    Disjunction,
    Iteration,
    Limit,
    Nth,
    Pattern,
    Repeat,
    Sequence,
    Span,
)
from tocsin.plan.cost import wording
from tocsin.plan.cost.absences import leading_cost, silence_cost
from tocsin.plan.cost.atoms import Atoms
from tocsin.plan.cost.bounds import is_too_much, narrower
from tocsin.plan.cost.degree import Degree
from tocsin.plan.cost.measure import measure, most, prefixes
from tocsin.plan.cost.waiting import is_ended, is_ended_by_absence
from tocsin.plan.cost.warnings import CostWarning


def cost_of(subscription: NormalSubscription) -> tuple[CostWarning, ...]:
    """Return what a subscription may cost, operator by operator; nothing where all is bounded.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE s MATCH a:[x = 1] ; b:[x = 2]")
    >>> for one in cost_of(*LiveProgram(program).normal(program.subscriptions)):
    ...     print(one)
    partial matches wait for ever behind this ';': linear in the length of the stream
    """
    tree = subscription.tree
    watcher = _Watcher(Atoms.of(subscription), subscription.variables)
    here = _Here(tree.within)
    if isinstance(tree.pattern, Absence):
        watcher.found += silence_cost(tree.pattern, watcher.atoms)
        watcher.visit(tree.pattern.pattern, here)
    else:
        watcher.visit(tree.pattern, here)
    return tuple(watcher.found)


def growth_of(subscription: NormalSubscription) -> str:
    """Return how fast the matches of a subscription can grow in number, in words.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE s MATCH a:[k = $x] ; b:[k = $x] WITHIN 5 min")
    >>> growth_of(*LiveProgram(program).normal(program.subscriptions))
    'polynomial of degree 2 in the events of 5 min, for each $x'
    """
    tree = subscription.tree
    pattern = tree.pattern.pattern if isinstance(tree.pattern, Absence) else tree.pattern
    degree = measure(pattern, Atoms.of(subscription), frozenset()).all
    return wording.growth_text(degree, tree.within, subscription.variables)


@dataclass(frozen=True, slots=True)
class _Here:
    """What holds at one place of a pattern.

    Attributes
    ----------
    limit
        The narrowest window around it.
    known
        The variables that are bound to its left.
    in_nth
        Whether an nth around it counts all matches, which no window outside may shorten.
    ends
        Whether that nth is over for good when it has found its match.
    """

    limit: Limit | None
    known: frozenset[str] = frozenset()
    in_nth: bool = False
    ends: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nothing around this place ever ends the waiting."""
        return self.limit is None and not self.ends


class _Watcher:
    """Walks a pattern in the order of the text and collects what it costs."""

    def __init__(self, atoms: Atoms, variables: tuple[str, ...]) -> None:
        self.atoms = atoms
        self.variables = variables
        self.found: list[CostWarning] = []

    def visit(self, node: Pattern, here: _Here) -> None:
        match node:
            case Atom() | Absence():
                return
            case Sequence():
                self._sequence(node, here)
            case Iteration():
                self._iteration(node, here)
            case Repeat():
                self._repeat(node, here)
            case Nth():
                self._nth(node, here)
            case Span(inner, limit):
                self.visit(inner, replace(here, limit=narrower(limit, here.limit)))
            case Condition(inner):
                self.visit(inner, here)
            case Conjunction():
                self._conjunction(node, here)
            case Disjunction(parts):
                for part in parts:
                    self.visit(part, here)

    def _sequence(self, node: Sequence, here: _Here) -> None:
        inner = here
        for part in node.parts:
            self.visit(part, inner)
            inner = replace(inner, known=inner.known | self.atoms.variables(part))
        self.found += leading_cost(node, self.atoms, here.limit)
        if not self._waits(node, here):
            self._explodes(node, here)

    def _waits(self, node: Sequence, here: _Here) -> bool:
        """Tell of the first link behind which nothing ends the waiting."""
        if not here.is_open:
            return False
        grown = prefixes(node, self.atoms, here.known)
        known, left, absent = here.known, -1, list[Absence]()
        for index, part in enumerate(node.parts):
            if isinstance(part, Absence):
                absent.append(part)
                continue
            link = node.links[index - 1]
            if left >= 0 and self._waits_behind(node, left, index, absent, known):
                kept = grown[_last_taken(node) - 1]  # what waits for the last part
                self._tell_waiting(link.kind, link.at, kept.all, here)
                return True
            known |= self.atoms.variables(part)
            left, absent = index, []
        return False

    def _waits_behind(
        self,
        node: Sequence,
        left: int,
        right: int,
        absent: list[Absence],
        known: frozenset[str],
    ) -> bool:
        before, after, link = node.parts[left], node.parts[right], node.links[right - 1]
        if is_ended(before, link, after, self.atoms, known):
            return False
        return not is_ended_by_absence(absent, before, self.atoms, known)

    def _explodes(self, node: Sequence, here: _Here) -> None:
        """Tell of the first link behind which there are too many matches."""
        grown = prefixes(node, self.atoms, here.known)
        if is_too_much(grown[0].all, here.limit):
            return  # told of that part
        for index, link in enumerate(node.links, start=1):
            own = measure(node.parts[index], self.atoms, here.known)
            if is_too_much(own.all, here.limit):
                return
            if is_too_much(grown[index].all, here.limit):
                self._tell_growth(link.kind, link.at, grown[-1].all, here)
                return

    def _iteration(self, node: Iteration, here: _Here) -> None:
        self.visit(node.pattern, here)
        if node.high == 1:
            return
        later = here.known | self.atoms.variables(node.pattern)
        whole = measure(node, self.atoms, here.known).all
        is_free = here.is_open and node.until is None
        ended = is_ended(node.pattern, node.by, node.pattern, self.atoms, later)
        if is_free and (node.high is None or not ended):
            self._tell_waiting("{}", node.at, whole, here)
        else:
            self._check_growth(node, here, "{}")

    def _repeat(self, node: Repeat, here: _Here) -> None:
        if node.times > 1 and here.is_open:
            whole = measure(node, self.atoms, here.known).all
            self._tell_waiting("repeat", node.at, whole, here)

    def _conjunction(self, node: Conjunction, here: _Here) -> None:
        for part in node.parts:
            self.visit(part, here)
        if here.is_open:
            sides = (measure(part, self.atoms, here.known).all for part in node.parts)
            self._tell_waiting("&", node.at, most(sides), here)
        else:
            self._check_growth(node, here, "&")

    def _nth(self, node: Nth, here: _Here) -> None:
        variables = tuple(sorted(self.atoms.variables(node.pattern)))
        counting = replace(here, limit=None, in_nth=True, ends=not variables)
        self.visit(node.pattern, counting)
        if variables:
            self.found.append(wording.remembers("a count is kept", "nth", node.at, variables))

    def _check_growth(self, node: Iteration | Conjunction, here: _Here, sign: str) -> None:
        parts = node.parts if isinstance(node, Conjunction) else (node.pattern,)
        grown = [measure(part, self.atoms, here.known).all for part in parts]
        whole = measure(node, self.atoms, here.known).all
        told = any(is_too_much(degree, here.limit) for degree in grown)
        if is_too_much(whole, here.limit) and not told:
            self._tell_growth(sign, node.at, whole, here)

    def _tell_waiting(self, sign: str, at: int, degree: Degree, here: _Here) -> None:
        growth = wording.growth_text(degree, None, self.variables)
        self.found.append(wording.waits_for_ever(sign, at, growth, in_nth=here.in_nth))

    def _tell_growth(self, sign: str, at: int, degree: Degree, here: _Here) -> None:
        growth = wording.growth_text(degree, here.limit, self.variables)
        told = wording.multiplies(sign, at, growth, exponential=degree.exponential)
        self.found.append(told)


def _last_taken(node: Sequence) -> int:
    """Return the place of the last part that takes an event."""
    return max(place for place, part in enumerate(node.parts) if not isinstance(part, Absence))
