"""Which of many events come in time, and where the clock stands before each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tocsin.engine.columns.column import BoolArray
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.model.rows import IntakeState
from tocsin.model.values import INTEGER_MIN, Timestamp


@dataclass(frozen=True, slots=True)
class Course:
    """What the clock says of a table's rows.

    Attributes
    ----------
    accepted
        The rows that are events.
    last_end
        After each row, the end of the last event; the least integer before the first.
    first
        The first row that is an event; None where there is none.
    """

    accepted: BoolArray
    last_end: Int64Array
    first: int | None

    def last_end_before(self, row: int, state: IntakeState) -> Timestamp | None:
        """Return the end of the last event before a row."""
        if self.first is None or row <= self.first:
            return state.last_end
        return Timestamp(self.last_end[row - 1])


def course_of(
    end_us: Int64Array, refused: BoolArray, untimed: BoolArray | None, state: IntakeState
) -> Course:
    """Return which rows are in time.

    Parameters
    ----------
    end_us
        The end of each row's event; anything where it has none.
    refused
        The rows that are no events whatever the clock says.
    untimed
        The rows that take the time of the clock, none of them refused; None where all have times.
    state
        What the intake knew before the table.

    Examples
    --------
    >>> state = IntakeState(Timestamp(5), None, None, {})
    >>> course_of(np.array([4, 7, 6]), np.zeros(3, np.bool_), None, state).accepted.tolist()
    [False, True, False]
    """
    if state.last_clock is None and untimed is None and not refused.any():
        before = INTEGER_MIN if state.last_end is None else int(state.last_end)
        if len(end_us) and before <= end_us[0] and (end_us[:-1] <= end_us[1:]).all():
            return Course(~refused, end_us, 0)  # as most tables are
    floor = INTEGER_MIN if state.last_clock is None else int(state.last_clock) + 1
    possible = ~refused
    if state.last_clock is not None:
        possible &= (end_us >= floor) if untimed is None else (end_us >= floor) | untimed
    ends = np.where(possible, end_us, INTEGER_MIN)
    if untimed is not None:
        ends[untimed] = floor
        _start_clock(ends, possible, untimed, state)
    first = INTEGER_MIN if state.last_end is None else int(state.last_end)
    last_end = np.maximum.accumulate(np.concatenate(([first], ends)))
    in_time = ends >= last_end[:-1]
    accepted = possible & (in_time if untimed is None else in_time | untimed)
    first_row = int(np.argmax(accepted)) if accepted.any() else None
    return Course(accepted, last_end[1:], first_row)


def _start_clock(
    ends: Int64Array, possible: BoolArray, untimed: BoolArray, state: IntakeState
) -> None:
    """Let the clock stand at 0 where the very first event brings no time."""
    if state.last_end is None and possible.any():
        first = int(np.argmax(possible))
        if untimed[first]:
            ends[first] = max(0, int(ends[first]))
