"""Whether an event still comes in time: ends never decrease, and nothing comes up to `$clock`."""

from __future__ import annotations

from typing import NoReturn

from tocsin.model.dead_letter import refuse
from tocsin.model.times import TimeForm, format_time
from tocsin.model.values import INTEGER_MAX, Timestamp


def is_in_time(end: int, last_end: int | None, last_clock: int | None) -> bool:
    """Say whether an event may end then.

    Parameters
    ----------
    last_end, last_clock
        The end of the last event, and the last `$clock`; None before the first.

    Examples
    --------
    >>> is_in_time(5, 5, None), is_in_time(5, None, 5)
    (True, False)
    """
    is_after = last_clock is None or end > last_clock
    return is_after and (last_end is None or end >= last_end) and end <= INTEGER_MAX


def refuse_late(
    end: Timestamp, last_end: Timestamp | None, last_clock: Timestamp | None, form: TimeForm
) -> NoReturn:
    """Refuse an event that is not in time, and say why."""
    shown = format_time(end, form)
    is_clock_later = last_clock is not None and (last_end is None or last_clock >= last_end)
    if last_end is not None and end < last_end and not is_clock_later:
        clock = format_time(last_end, form)
        refuse("late", f"late: the event ends at {shown}, before the clock at {clock}")
    if last_clock is not None and end <= last_clock:
        clock = format_time(last_clock, form)
        refuse("late", f"late: the event ends at {shown}, not after $clock {clock}")
    refuse("late", "late: $clock has reached the last moment there is")
