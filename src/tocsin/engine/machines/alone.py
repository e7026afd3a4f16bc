"""Which parts find the same matches wherever they stand, so that one machine may serve all."""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.engine.machines.both import BothPart
from tocsin.engine.machines.chain import ChainPart
from tocsin.engine.machines.either import EitherPart
from tocsin.engine.machines.filters import BoundedPart
from tocsin.engine.machines.follow import Link
from tocsin.engine.machines.iteration import IterationPart
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Part
from tocsin.language.normal import Lead, Leaf, Normal, Wait
from tocsin.language.tree import Aggregate, EventReference, MatchDuration, Variable
from tocsin.language.variables import walk


def stands_alone(node: Normal, statics: Sequence[Part | Link]) -> bool:
    """Say whether the matches of a part can be found from the start on, for all who look back.

    So it is where it speaks of no event but its own, and where it is enough that variables agree.
    What waits for the clock would have to be told of it.

    Parameters
    ----------
    node, statics
        The part in normal form, and everything that was compiled from it.
    """
    below = list(walk(node))
    if any(isinstance(one, Lead | Wait) for one in below):
        return False
    if any(isinstance(one, Variable) for one in below):
        return agreeing_is_enough(statics)
    own = {one.alias for one in below if isinstance(one, Leaf)}
    return not any(
        isinstance(one, MatchDuration | Aggregate)
        or (isinstance(one, EventReference) and (one.which is not None or one.alias not in own))
        for one in below
    )


def agreeing_is_enough(statics: Sequence[Part | Link]) -> bool:
    """Say whether the matches of a part with given variables are those that agree with them.

    So it is where every event is taken for itself; what is first (`->`), absent, counted or
    guarded may be another one where variables are known before.
    """
    return all(_takes_each(one) for one in statics)


def _takes_each(one: Part | Link) -> bool:
    match one:
        case Link():
            return one.is_plain or (one.sign == "," and not (one.absent or one.absent_next))
        case LeafPart():
            return one.is_free
        case ChainPart():
            return not one.leads
        case IterationPart():
            return one.until is None
    return isinstance(one, EitherPart | BothPart | BoundedPart)
