# mypy: disable-error-code="no-untyped-def"
"""What guards look at: events of the match, its span, and registers."""

from __future__ import annotations

from tocsin.engine.columns.kinds import DURATION, MISSING
from tocsin.engine.index.interpret import UNANSWERED, compare_alike, run_program
from tocsin.engine.linear.arrays import (
    ATOM,
    BEGIN_US,
    END_US,
    EVENT,
    LAST_EVENT,
    NONE,
    PARENT,
    REGISTER,
    SPAN,
)
from tocsin.engine.linear.kernels import inlined
from tocsin.engine.linear.registers import read_register


@inlined
def find_link(links, link, leaf, which):
    """Return the link of an event of an atom, or NONE."""
    found = NONE
    count = 0
    at = link
    while at != NONE:
        if links.cells[at, ATOM] == leaf:
            found = at
            count += 1
            if which == LAST_EVENT:
                break
        at = links.cells[at, PARENT]
    if which <= 0:  # the last or the first
        return found
    if which > count:
        return NONE
    at = link
    while links.cells[at, ATOM] != leaf or count != which:  # numbered from the first on
        if links.cells[at, ATOM] == leaf:
            count -= 1
        at = links.cells[at, PARENT]
    return at


@inlined
def put_span(slot, link, links, work):
    """Put the time from the begin of the match to the end of the current event into a slot."""
    begin, end_us = work.row_bits[1], work.row_bits[2]
    if link != NONE:
        begin = min(begin, links.times[link, BEGIN_US])
        end_us = max(end_us, links.times[link, END_US])
    work.row_kind[slot] = DURATION
    work.row_bits[slot] = end_us - begin


@inlined
def guard_holds(guard, link, guards, links, kept, work, pools):
    """Say whether a guard holds for the row in the scratch and the match behind a link."""
    first = guards.programs[guard, 2]
    for i in range(first, first + guards.programs[guard, 3]):
        leaf, which = guards.references[i, 0], guards.references[i, 1]
        attribute, slot = guards.references[i, 2], guards.references[i, 3]
        if which == SPAN:
            put_span(slot, link, links, work)
        elif which == REGISTER:
            kind, bits = read_register(leaf, link, guards.registers, links.registers)
            work.row_kind[slot] = kind
            work.row_bits[slot] = bits
        else:
            at = find_link(links, link, leaf, which)
            work.row_kind[slot] = MISSING
            if at != NONE:
                row = links.cells[at, EVENT]
                work.row_kind[slot] = kept.kind[row, attribute]
                work.row_bits[slot] = kept.bits[row, attribute]
    start, stop = guards.programs[guard, 0], guards.programs[guard, 1]
    answer = compare_alike(start, stop, work.row_kind, work.row_bits, pools.steps)
    if answer != UNANSWERED:
        return answer == 1
    return run_program(start, stop, work.row_kind, work.row_bits, pools)
