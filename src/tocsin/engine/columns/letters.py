"""Dead letters of a table's rows: the few that are no events are judged row by row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tocsin.engine.columns.lateness import Course
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.read.arrow import rows_of_batches
from tocsin.model.rows import Intake, IntakeState


def letters_of(
    table: pa.Table, intake: Intake, course: Course, settled: IntakeState, *, first_row: int
) -> list[DeadLetter]:
    """Return why the rows that were not accepted are no events.

    Each is given to an intake that stands where it would stand if all rows before had come, so
    that the words are the same by row and by column.

    Parameters
    ----------
    table, first_row
        The rows, and the number of the first.
    intake
        As it was before the table.
    course
        Which rows are events.
    settled
        What the table's first event settles.
    """
    rows: Int64Array = np.flatnonzero(~course.accepted)
    if not len(rows):
        return []
    before, trial = intake.state(), intake.copy()
    letters = []
    for place, raw in rows_of_batches(table.take(rows).combine_chunks().to_batches()):
        row = int(rows[place])
        is_first = course.first is None or row < course.first
        last_end = course.last_end_before(row, before)
        trial.restore(replace(before if is_first else settled, last_end=last_end))
        letter = trial.accept(first_row + row, raw)
        assert isinstance(letter, DeadLetter)
        letters.append(letter)
    return letters
