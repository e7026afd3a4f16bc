"""A table becomes a batch: what `Intake.accept` says row by row, said by column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from tocsin.engine.columns.batch import Batch
from tocsin.engine.columns.column import places_where
from tocsin.engine.columns.fill import fill_batch
from tocsin.engine.columns.judged import Judged, judge
from tocsin.engine.columns.lateness import Course, course_of
from tocsin.engine.columns.letters import letters_of
from tocsin.engine.columns.tables import read_table
from tocsin.engine.columns.vocabulary import Int64Array, Vocabulary
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.read.arrow import rows_of_batches
from tocsin.model.row_values import form_of
from tocsin.model.rows import Intake, IntakeState
from tocsin.model.times import TimeForm
from tocsin.model.values import INTEGER_MAX, Timestamp


@dataclass(frozen=True, slots=True)
class TakenTable:
    """What a table gave.

    Attributes
    ----------
    batch
        Its events.
    rows
        The input row of each of them.
    letters
        The other rows.
    """

    batch: Batch
    rows: Int64Array
    letters: list[DeadLetter]


def take_table(
    table: pa.Table | pa.RecordBatch, intake: Intake, vocabulary: Vocabulary, *, first_row: int
) -> TakenTable | None:
    """Return the events and dead letters of a table, or None where it must go row by row.

    The intake stands afterwards where it would stand if the rows had come one by one; where None
    is returned, nothing has changed.

    Parameters
    ----------
    first_row
        The place of the table's first row in the input.

    Examples
    --------
    >>> intake, words = Intake({}, default_stream="ticks"), Vocabulary()
    >>> table = pa.table({"ts": [5, 3, 7], "price": [1.5, 2.5, None]})
    >>> taken = take_table(table, intake, words, first_row=10)
    >>> taken.rows.tolist(), taken.letters[0].reason, intake.clock
    ([10, 12], 'late: the event ends at 3, before the clock at 5', Timestamp(7000))
    """
    whole = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
    before = intake.state()
    if before.last_clock is not None and before.last_clock >= INTEGER_MAX:
        return None
    columns = read_table(whole, intake)
    judged = None if columns is None else judge(whole, columns, intake)
    if columns is None or judged is None:
        return None
    course = course_of(judged.end_us, judged.refused, judged.untimed, before)
    settled = _settled(whole, judged, course, before)
    if settled is None:
        return None
    letters = letters_of(whole, intake, course, settled, first_row=first_row)
    intake.restore(_after(judged, course, before, settled))
    rows = places_where(course.accepted)
    return TakenTable(fill_batch(judged, course, rows, vocabulary), rows + first_row, letters)


def _settled(
    table: pa.Table, judged: Judged, course: Course, before: IntakeState
) -> IntakeState | None:
    """Return what the first event settles; None where a later one may settle the form."""
    undeclared = {**before.undeclared, **judged.new_schemas()}
    if before.form is not None or course.first is None:
        return replace(before, undeclared=undeclared)
    if not judged.has_time[course.first]:
        is_never = not (judged.has_time & course.accepted).any()
        return replace(before, undeclared=undeclared) if is_never else None
    return replace(before, undeclared=undeclared, form=_form(table, judged, course.first))


def _form(table: pa.Table, judged: Judged, row: int) -> TimeForm | None:
    [(_, raw)] = rows_of_batches(table.slice(row, 1).to_batches())
    found: Any = raw
    return form_of(found, judged.schema_of(row))


def _after(
    judged: Judged, course: Course, before: IntakeState, settled: IntakeState
) -> IntakeState:
    if course.first is None:
        return before
    new = judged.new_schemas(course.accepted)
    last_end = Timestamp(course.last_end[-1])
    return IntakeState(last_end, before.last_clock, settled.form, {**before.undeclared, **new})
