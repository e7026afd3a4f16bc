"""How much memory subscriptions take once an engine has loaded them, before any event comes."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Final, NamedTuple

from tocsin.engine.course import Course
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.limits import Limiter, Limits
from tocsin.engine.options import Options
from tocsin.engine.timers import Timers
from tocsin.engine.watch import Watch
from tocsin.language.normal import NormalSubscription
from tocsin.language.template import is_template
from tocsin.plan.graph import Memory

_OF_THE_PROGRAM: Final = (type, ModuleType, CodeType, BuiltinFunctionType)


class Sizes(NamedTuple):
    """The memory of lanes, by the streams they read, and of subscriptions on the general road."""

    of_lane: dict[tuple[str, ...], Memory]
    of_watch: dict[str, Memory]


def sizes_of(subscriptions: Iterable[NormalSubscription]) -> Sizes:
    """Load subscriptions and return what they take; templates have no size without a table.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE s MATCH a:[x = 1]; SUBSCRIBE t MATCH a:[x = 1] & b:[x = 2]")
    >>> sizes = sizes_of(LiveProgram(program).normal(program.subscriptions))
    >>> list(sizes.of_lane), list(sizes.of_watch)
    ([('default',)], ['t'])
    """
    limiter = Limiter(Limits())
    course = Course(unordered=False, history=None, limiter=limiter, options=Options())
    course.add(one for one in subscriptions if not is_template(one.tree))
    watches = course.watches.values()
    of_all = course.concerns.index.nbytes // max(len(watches), 1)
    return Sizes(
        {sources: _of_lane(unit) for sources, unit in course.lanes.items()},
        {watch.name: _of_watch(watch, of_all, course.timers) for watch in watches},
    )


def _of_lane(unit: LaneUnit) -> Memory:
    lane = unit.lane
    lane.refit()
    lane.index.arrays()  # lays the index out, as the first event would
    plan = lane.store.nbytes + lane.guards.nbytes + lane.order_of.nbytes
    return Memory(lane.index.nbytes, plan, lane.machine.nbytes)


def _of_watch(watch: Watch, index: int, timers: Timers) -> Memory:
    state = _size(_reached(watch.state, {id(timers)}))
    parts = {id(one): one for root in (watch.statics, watch.subscription) for one in _reached(root)}
    return Memory(index, _size(parts.values()), state)


def _size(objects: Iterable[object]) -> int:
    return sum(map(sys.getsizeof, objects))


def _reached(root: object, known: Iterable[int] = ()) -> Iterator[object]:
    """Yield an object and all that it holds, but for what belongs to the program itself."""
    seen, waiting = set(known), [root]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, _OF_THE_PROGRAM):
            continue
        seen.add(id(one))
        yield one
        # A function also knows the globals of its module, which are not its own.
        waiting += [one.__closure__] if isinstance(one, FunctionType) else gc.get_referents(one)
