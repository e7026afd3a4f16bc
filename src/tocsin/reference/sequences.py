"""Sequences, absences and iterations (design, section 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tocsin.language.normal import Chain, Joint, Lead, Leaf, Normal, Repeated, Wait, can_be_empty
from tocsin.language.tree import Expression
from tocsin.model.arithmetic import calculated
from tocsin.model.values import Duration, same_value
from tocsin.reference.context import Context, Match, Placed, joined
from tocsin.reference.evaluate import View, holds
from tocsin.reference.world import World, opens


def of_chain(world: World, chain: Chain, context: Context) -> Iterator[Match]:
    """Yield the matches of a sequence."""

    def extend(index: int, so_far: tuple[Match, ...]) -> Iterator[Match]:
        if index == len(chain.elements):
            yield from _ended(world, chain, so_far, context)
            return
        element = chain.elements[index]
        if can_be_empty(element):  # it vanishes, and the operator before it with it
            yield from extend(index + 1, so_far)
        left = _right_of(context, so_far)
        fits = _Fit(world, chain.joints[index - 1], left) if so_far else None
        lead = chain.lead if index == 0 else _lead_of(chain.joints[index - 1])
        for match in world.matches(element, left):
            if fits(match) if fits is not None else _may_lead(world, lead, context, match):
                yield from extend(index + 1, (*so_far, match))

    return extend(0, ())


def _lead_of(joint: Joint) -> Lead:
    """`p? ; !q ; r` without p is `!q ; r`."""
    return Lead(joint.absent, joint.wait)


def _right_of(context: Context, so_far: tuple[Match, ...]) -> Context:
    for match in so_far:
        context = context.extended(match)
    return context


def _ended(
    world: World, chain: Chain, so_far: tuple[Match, ...], context: Context
) -> Iterator[Match]:
    """All elements are matched; what is left is a trailing `; !q FOR T`."""
    if not so_far:
        return
    whole = joined(so_far, so_far[0].openings)
    if chain.tail is None:
        yield whole
        return
    deadline = whole.settled + chain.tail.duration
    if not _comes_by(world, chain.tail, _right_of(context, so_far), deadline):
        yield replace(whole, deadline=deadline)


class _Fit:
    """Says which matches may stand to the right of a joint; what is first is sought only once."""

    def __init__(self, world: World, joint: Joint, left: Context) -> None:
        self.world, self.joint, self.left = world, joint, left
        self.first_of: dict[tuple[Leaf, ...], list[Placed]] = {}

    def __call__(self, match: Match) -> bool:
        """Say whether a match may stand here."""
        world, joint, left = self.world, self.joint, self.left
        return (
            (joint.kind == ";" or match.first in self.firsts(match.openings))
            and not any(_lies_between(world, absent, left, match) for absent in joint.absent)
            and not any(_comes_next(world, absent, left, match) for absent in joint.absent_next)
            and (joint.wait is None or _has_waited(world, joint.wait, left, match))
        )

    def firsts(self, leaves: tuple[Leaf, ...]) -> list[Placed]:
        """`,`: the next event; `->`: the first that satisfies the condition."""
        if leaves not in self.first_of:
            self.first_of[leaves] = self._firsts(leaves)
        return self.first_of[leaves]

    def _firsts(self, leaves: tuple[Leaf, ...]) -> list[Placed]:
        world, left, explicit = self.world, self.left, self.joint.condition
        if self.joint.kind == ",":
            return _next(world, left.without_deadline())
        if explicit is not None:
            return _earliest(world, left, lambda placed: _holds_at(explicit, placed, left))
        return _earliest(world, left, lambda placed: _opens(leaves, placed, left))


def _next(world: World, left: Context) -> list[Placed]:
    """Return the very next event: none where the stream is a part that does not hold it."""
    assert left.after is not None
    found = _earliest(world, left, lambda _: True)
    if world.unordered:  # events of equal time lie between, so that positions do not tell
        return found
    return [placed for placed in found if placed.position == left.after[0] + 1]


def _holds_at(condition: Expression, placed: Placed, context: Context) -> bool:
    return holds(condition, View(context, placed.event))


def _opens(leaves: tuple[Leaf, ...], placed: Placed, left: Context) -> bool:
    return any(opens(leaf, placed, left) is not None for leaf in leaves)


def _earliest(world: World, left: Context, wanted: Callable[[Placed], bool]) -> list[Placed]:
    """Return the first following event that is wanted; unordered, all that are first together."""
    found = (placed for placed in world.following(left) if wanted(placed))
    first = next(found, None)
    if first is None or not world.unordered:
        return [] if first is None else [first]
    together = (placed for placed in found if placed.event.end == first.event.end)
    return [first, *together]  # end times never decrease


def _lies_between(world: World, absent: Normal, left: Context, match: Match) -> bool:
    """Say whether a match of q lies wholly between what is to the left and a match."""
    return any(_precedes(world, between, match) for between in world.matches(absent, left))


def _precedes(world: World, earlier: Match, later: Match) -> bool:
    if earlier.last.position >= later.first.position:
        return False
    return not world.unordered or earlier.end < later.begin


def _comes_next(world: World, absent: Normal, left: Context, match: Match) -> bool:
    """Say whether the very next event is a q; of simultaneous ones, those that have arrived."""
    left = left.without_deadline()
    arrived = [p for p in _next(world, left) if p.position <= match.last.position]
    return any(q.first in arrived for q in world.matches(absent, left))


def _has_waited(world: World, wait: Wait, left: Context, match: Match) -> bool:
    """`p ; !q FOR T ; r`: r begins after end(p) + T, and no q comes until then."""
    assert left.after is not None
    deadline = left.after[2] + wait.duration
    return match.begin > deadline and not _comes_by(world, wait, left, deadline)


def _comes_by(world: World, wait: Wait, left: Context, deadline: int) -> bool:
    """Say whether a q follows what is to the left and ends by the deadline."""
    return any(match.end <= deadline for match in world.matches(wait.absent, left))


def _may_lead(world: World, lead: Lead | None, context: Context, match: Match) -> bool:
    """`!q ; r` and `!q FOR T ; p`: q is sought from the start on, with the variables of r."""
    if lead is None:
        return True
    anywhere = context.from_the_start(match.variables)
    if any(_lies_between(world, absent, anywhere, match) for absent in lead.absent):
        return False
    return lead.wait is None or _was_quiet(world, lead.wait, anywhere, match)


def _was_quiet(world: World, wait: Wait, anywhere: Context, match: Match) -> bool:
    """`!q FOR T ; p`: watched for at least T, and no q in [begin(p) - T, begin(p))."""
    since = match.begin - wait.duration
    if world.start is None or world.start > since:
        return False
    return not any(
        q.begin >= since and q.end < match.begin for q in world.matches(wait.absent, anywhere)
    )


def of_iteration(world: World, node: Repeated, context: Context) -> Iterator[Match]:
    """Yield the matches of an iteration: one for every possible number of repetitions."""
    low = 0 if can_be_empty(node.part) else node.low
    assert node.by is not None
    by = node.by

    def extend(so_far: tuple[Match, ...]) -> Iterator[Match]:
        if so_far and len(so_far) >= low:
            yield joined(so_far, so_far[0].openings)
        if node.high is not None and len(so_far) >= node.high:
            return
        left = _right_of(context, so_far).in_repetition(node.aliases)
        fits = _Fit(world, by, left)
        for match in world.matches(node.part, left):
            if so_far and not fits(match):
                continue
            if node.step and so_far and not has_grown(node.step, so_far[-1], match):
                continue
            if node.until is None or not _is_ended(world, node.until, left, so_far, match):
                yield from extend((*so_far, match))

    return extend(())


def _is_ended(
    world: World,
    until: Expression,
    left: Context,
    so_far: tuple[Match, ...],
    match: Match,
) -> bool:
    """Say whether an event satisfies UNTIL among those from the iteration's first on.

    Events before the iteration do not count: the first repetition begins it.
    """
    begin = so_far[-1].last.position + 1 if so_far else match.first.position
    span = world.from_to(begin, match.last.position)
    return any(_holds_at(until, placed, left) for placed in span)


def has_grown(step: tuple[str, int | float | Duration], before: Match, match: Match) -> bool:
    """`repeat`: the attribute is larger by the step than it was in the repetition before."""
    attribute, amount = step
    old = before.taken[-1].placed.event.values.get(attribute)
    new = match.taken[-1].placed.event.values.get(attribute)
    return same_value(new, calculated("+", old, amount))
