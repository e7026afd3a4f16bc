"""The partition plan in plain text."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.printer import to_text
from tocsin.model.durations import format_duration
from tocsin.plan.partition.key_reach import last_events
from tocsin.plan.partition.nodes import Group, Needs, Overlap, PartitionPlan, Refusal, Strategy
from tocsin.plan.partition.units import key_text

_SHOWN = 5


def explain_partitions(plan: PartitionPlan) -> str:
    """Return what a plan does and why, for people.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> from tocsin.plan.partition import plan_partitions
    >>> text = "SUBSCRIBE s FROM logins MATCH a:[ok = FALSE AND ip = $x] , b:[ip = $x]"
    >>> print(explain_partitions(plan_partitions(parse(text))))
    group 1: by key logins.ip (s)
      why: Every event that a match takes, forbids or looks for has the key logins.ip of that match,
           so events of other keys neither complete it nor prevent it.
      why: Policies keep or drop matches of one key for their own sake.
      a hot key: may be split by time, with 1 event from before each slice
      positions: count all events of logins before any is dropped
      logins: only where ok = FALSE AND ip IS PRESENT OR ip IS PRESENT; reads ip, ok
    """
    parts = [_group(number, group) for number, group in enumerate(plan.groups, 1)]
    return "\n".join(line for part in parts for line in part)


def _group(number: int, group: Group) -> Iterator[str]:
    yield f"group {number}: {_how(group)} ({_names(group)})"
    for reason in group.choice.reasons:
        yield f"  why: {reason}"
    for refusal in _refusals(group)[:_SHOWN]:
        yield f"  not {refusal.strategy}: {refusal}"
    if len(_refusals(group)) > _SHOWN:
        yield f"  … and {len(_refusals(group)) - _SHOWN} more reasons"
    if group.slices is not None:
        yield f"  a hot key: may be split by time, with {_overlap(group.slices)}"
    if group.chain is not None:
        last = last_events(group.chain - 1)
        yield f"  chains: may be split by time, with {last} of each key from before each slice"
    yield from _needs(group.needs)


def _how(group: Group) -> str:
    if group.strategy is Strategy.BY_KEY:
        return f"by key {key_text(dict(group.choice.key))}"
    if group.choice.overlap is not None and group.choice.overlap.is_alone:
        return "each event alone"
    if group.choice.overlap is not None:
        return f"by time, with {_overlap(group.choice.overlap)}"
    return str(group.strategy)


def _names(group: Group) -> str:
    names = group.subscriptions
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _refusals(group: Group) -> list[Refusal]:
    """Return why better strategies were not taken."""
    better = list(Strategy)[: list(Strategy).index(group.strategy)]
    every = (refusal for unit in group.units for refusal in unit.refusals)
    return [refusal for refusal in every if refusal.strategy in better]


def _overlap(overlap: Overlap) -> str:
    events = f"{overlap.events} event{'s' * (overlap.events != 1)}"
    match bool(overlap.span_us), bool(overlap.events):
        case True, True:
            return f"{format_duration(overlap.span_us)} and {events} from before each slice"
        case True, False:
            return f"{format_duration(overlap.span_us)} from before each slice"
        case False, True:
            return f"{events} from before each slice"
    return "nothing from before each slice"


def _needs(needs: Needs) -> Iterator[str]:
    for union in needs.positions:
        yield f"  positions: count all events of {', '.join(union)} before any is dropped"
    if needs.start:
        yield "  start: every part is told when the stream began"
    if needs.clock:
        yield "  clock: every part is told how far the clock went"
    for name, stream in needs.streams.items():
        condition = stream.condition
        rows = "all events" if condition is None else f"only where {to_text(condition)}"
        yield f"  {name}: {rows}; reads {', '.join(stream.columns) or 'nothing but times'}"
