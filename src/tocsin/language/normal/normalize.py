"""From the tree of a checked subscription to its normal form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tocsin.errors import UnsupportedError
from tocsin.language.normal.inline import inline_definitions
from tocsin.language.normal.nodes import (
    Both,
    Bounded,
    Chain,
    Counted,
    Either,
    Guard,
    Joint,
    Lead,
    Leaf,
    Normal,
    Repeated,
    Silence,
    Wait,
)
from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Conjunction,
    Disjunction,
    Expression,
    Iteration,
    Link,
    Literal,
    Nth,
    Parameter,
    Pattern,
    Repeat,
    Sequence,
    Span,
    Subscription,
)
from tocsin.language.variables import variables_of, walk
from tocsin.model.values import Duration


@dataclass(frozen=True, slots=True)
class NormalSubscription:
    """A subscription in normal form.

    Attributes
    ----------
    tree
        The subscription it was made from, for its clauses.
    sources
        The streams it reads.
    pattern, where
        With definitions inlined.
    aliases
        The shown aliases of the atoms that a match may hold, in the order of the text.
    variables
        Those a match may bind, in the order of the text.
    """

    tree: Subscription
    sources: tuple[str, ...]
    pattern: Normal
    where: Expression | None
    aliases: tuple[str, ...]
    variables: tuple[str, ...]


def normalize(
    subscription: Subscription,
    *,
    definitions: Mapping[str, Expression],
    sources: tuple[str, ...],
) -> NormalSubscription:
    """Return the normal form of a subscription that the checker has accepted."""
    maker = _Normalizer(definitions, sources)
    pattern = maker.make(subscription.pattern)
    where = subscription.where
    return NormalSubscription(
        tree=subscription,
        sources=sources,
        pattern=pattern,
        where=None if where is None else inline_definitions(where, definitions),
        aliases=tuple(dict.fromkeys(leaf.alias for leaf in present_leaves(pattern))),
        variables=_bound_variables(pattern),
    )


def present_leaves(node: Normal) -> Iterable[Leaf]:
    """Yield the leaves that a match may hold, in the order of the text; absent ones are none."""
    match node:
        case Leaf():
            yield node
        case Chain():
            for element in node.elements:
                yield from present_leaves(element)
        case Repeated() | Guard() | Bounded() | Counted():
            yield from present_leaves(node.part)
        case Both() | Either():
            for part in node.parts:
                yield from present_leaves(part)
        case Silence():
            return


def _bound_variables(pattern: Normal) -> tuple[str, ...]:
    """A silence reports the variables of the q after which it fell silent."""
    inner = pattern.absent if isinstance(pattern, Silence) else pattern
    names = [name for leaf in present_leaves(inner) for name in variables_of(leaf.condition)]
    return tuple(dict.fromkeys(names))


class _Normalizer:
    """Numbers the atoms while it walks the pattern in the order of the text."""

    def __init__(self, definitions: Mapping[str, Expression], sources: tuple[str, ...]) -> None:
        self.definitions = definitions
        self.sources = sources
        self.atoms = 0

    def make(self, node: Pattern) -> Normal:
        match node:
            case Atom():
                return self.leaf(node)
            case Iteration():
                return self.iteration(node)
            case Condition():
                return Guard(self.make(node.pattern), self.inline(node.condition))
            case Span():
                return Bounded(self.make(node.pattern), node.limit)
            case Absence():
                return self.silence(node)
            case Sequence():
                return self.chain(node)
            case Nth():
                part = self.make(node.pattern)
                return Counted(node.index, part, _bound_variables(part))
            case Repeat():
                return self.ladder(node)
            case Conjunction():
                return Both(tuple(self.make(part) for part in node.parts))
            case Disjunction():
                return Either(tuple(self.make(part) for part in node.parts))

    def inline(self, condition: Expression) -> Expression:
        return inline_definitions(condition, self.definitions)

    def leaf(self, atom: Atom) -> Leaf:
        number = self.atoms
        self.atoms += 1
        alias = atom.alias or atom.name or f"_{number + 1}"
        if atom.name is None:
            condition = Literal(True) if atom.condition is None else self.inline(atom.condition)
            return Leaf(number, alias, atom.stream, condition)
        if atom.name in self.definitions:
            return Leaf(number, alias, None, self.inline(self.definitions[atom.name]))
        return Leaf(number, alias, atom.name, Literal(True))

    def joint(self, link: Link) -> Joint:
        condition = None if link.condition is None else self.inline(link.condition)
        return Joint(link.kind, condition)

    def iteration(self, node: Iteration) -> Repeated:
        part = self.make(node.pattern)
        until = None if node.until is None else self.inline(node.until)
        is_iteration = node.high is None or node.high > 1
        aliases = _own_aliases(part) if is_iteration else ()
        return Repeated(part, node.low, node.high, self.joint(node.by), until, aliases)

    def ladder(self, node: Repeat) -> Repeated:
        part = self.make(node.pattern)
        by = None if node.by is None else self.joint(node.by)
        step = (node.attribute, node.step)
        return Repeated(part, node.times, node.times, by, None, _own_aliases(part), step)

    def silence(self, node: Absence) -> Silence:
        every = None if node.every is None else _filled(node.every)
        assert node.duration is not None, "the checker refuses an unbounded absence here"
        return Silence(self.make(node.pattern), _filled(node.duration), every)

    def chain(self, node: Sequence) -> Chain:
        """Turn parts and links into elements and joints; absences go into the joints."""
        builder = _ChainBuilder(self)
        builder.add_parts(node)
        return builder.finish()

    def wait(self, node: Absence) -> Wait:
        assert node.duration is not None
        return Wait(self.make(node.pattern), _filled(node.duration))


class _ChainBuilder:
    """Collects the absences that stand before the next element."""

    def __init__(self, maker: _Normalizer) -> None:
        self.maker = maker
        self.elements: list[Normal] = []
        self.joints: list[Joint] = []
        self.absent: list[Normal] = []
        self.absent_next: list[Normal] = []
        self.pending: Wait | None = None

    def add_parts(self, node: Sequence) -> None:
        links: tuple[Link | None, ...] = (None, *node.links)
        for part, link in zip(node.parts, links, strict=True):
            if isinstance(part, Sequence) and _ends_in_absence(part):
                self.add_contiguous(part, link)
            elif isinstance(part, Absence):
                self.add_absence(part, next_only=False)
            else:
                self.add_element(self.maker.make(part), link)

    def add_contiguous(self, node: Sequence, link: Link | None) -> None:
        """`p , !q` before `->` or `;`: its elements join this chain, its absence the next joint."""
        links = (link, *node.links)
        for part, before in zip(node.parts, links, strict=True):
            if isinstance(part, Absence):
                self.add_absence(part, next_only=True)
            else:
                self.add_element(self.maker.make(part), before)

    def add_absence(self, node: Absence, *, next_only: bool) -> None:
        if node.duration is not None:
            self.pending = self.maker.wait(node)
        elif next_only:
            self.absent_next.append(self.maker.make(node.pattern))
        else:
            self.absent.append(self.maker.make(node.pattern))

    def add_element(self, element: Normal, link: Link | None) -> None:
        if self.elements:
            assert link is not None
            plain = self.maker.joint(link)
            self.joints.append(
                Joint(
                    plain.kind,
                    plain.condition,
                    tuple(self.absent),
                    tuple(self.absent_next),
                    self.pending,
                )
            )
        elif self.absent or self.pending is not None:
            self.lead = Lead(tuple(self.absent), self.pending)
        self.elements.append(element)
        self.absent, self.absent_next, self.pending = [], [], None

    lead: Lead | None = None

    def finish(self) -> Chain:
        return Chain(tuple(self.elements), tuple(self.joints), self.lead, self.pending)


def _ends_in_absence(node: Sequence) -> bool:
    return node.links[0].kind == "," and isinstance(node.parts[-1], Absence)


def _filled(duration: Duration | Parameter) -> Duration:
    if isinstance(duration, Parameter):
        msg = f"the parameter {{{duration.name}}} has no value; pass a table that fills it"
        raise UnsupportedError(msg)
    return duration


def _own_aliases(node: Normal) -> tuple[str, ...]:
    """The aliases below a node that no iteration inside it owns."""
    owned = {
        alias for inner in walk(node) if isinstance(inner, Repeated) for alias in inner.aliases
    }
    leaves = [inner for inner in walk(node) if isinstance(inner, Leaf)]
    return tuple(dict.fromkeys(leaf.alias for leaf in leaves if leaf.alias not in owned))
