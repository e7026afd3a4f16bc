"""Tables in snapshots: the rows themselves are not stored, only what became of them.

Whoever restores has the same template and the same rows; a fingerprint tells whether that is so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin.engine.course import Course
from tocsin.engine.errors import SnapshotError
from tocsin.engine.lane_snapshots import array_of, member_state, plain, set_member_state
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.linear.arrays import NONE, Int32Array
from tocsin.engine.members import Table
from tocsin.language.live import LiveProgram
from tocsin.language.template import FilledTable
from tocsin.plan.linear import linear_form


def list_tables(course: Course) -> list[list[Any]]:
    """Return what tells the tables in force from others."""
    return [
        [table.fingerprint, table.filled.template.name, len(table.filled)]
        for _, table in course.tables
    ]


def freeze_tables(course: Course) -> list[dict[str, Any]]:
    """Return what became of the rows of all tables, made of plain parts."""
    return [_frozen(unit, table) for unit, table in course.tables]


def _frozen(unit: LaneUnit, table: Table) -> dict[str, Any]:
    held = {**unit.members.held(table), **table.left}
    matched = np.where(table.numbers == NONE, 0, unit.members.matched[table.numbers])
    rows = np.flatnonzero(matched)
    return {
        "first_order": table.first_order,
        "made": table.made,
        "gone": plain(_gone(table)),
        "left": sorted(table.left),
        "held": {row: member_state(unit, member) for row, member in held.items()},
        "matched": [plain(rows), plain(matched[rows])],
    }


def _gone(table: Table) -> Int32Array:
    """Return the rows that are in force no more."""
    is_gone = table.numbers == NONE
    is_gone[list(table.left)] = False
    return np.flatnonzero(is_gone).astype(np.int32)


def thaw_tables(
    course: Course,
    program: LiveProgram,
    known: Course,
    listed: list[list[Any]],
    frozen: list[dict[str, Any]],
) -> None:
    """Let the rows of tables that `known` has join their lanes, and go on from their state.

    Raises
    ------
    SnapshotError
        `known` does not have a table.
    """
    filled_of = {table.fingerprint: table.filled for _, table in known.tables}
    for (fingerprint, name, size), state in zip(listed, frozen, strict=True):
        if fingerprint not in filled_of:
            msg = (
                f"the snapshot has subscriptions that were made from '{name}' and a table of "
                f"{size} rows, which this engine does not have; give it the same text and the same "
                "rows with subscribe(text, table) before it restores"
            )
            raise SnapshotError(msg)
        _thaw(course, program, filled_of[fingerprint], state)


def _thaw(course: Course, program: LiveProgram, filled: FilledTable, state: dict[str, Any]) -> None:
    gone = array_of(state["gone"]).tolist()
    program.restore_table(filled, [filled.names[row] for row in gone])
    template = program.normal_template(filled)
    table = Table(
        filled,
        template,
        lambda subscription: program.normal((subscription,))[0],
        state["first_order"],
        state["made"],
    )
    course.join_table(table, linear_form(template))
    unit = course.lanes[template.sources]
    rows, matched = map(array_of, state["matched"])
    unit.members.matched[table.numbers[rows]] = matched
    for row in gone:
        course.leave(filled.names[row])
    for row in state["left"]:
        unit.leave(unit.members[int(table.numbers[row])])
    for row, kept in state["held"].items():
        number = int(table.numbers[row])
        set_member_state(table.left[row] if number == NONE else unit.members[number], kept)
