"""Programs with parameters and the table that fills them."""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.errors import ConfigurationError
from tocsin.language.live import LiveProgram
from tocsin.language.template import FilledTable, fill, is_template, refuse_shared_parameters
from tocsin.language.tree import Program, Subscription


def filled_tables(program: Program, table: object) -> tuple[FilledTable, ...]:
    """Return the templates of a program with their table; none without a table.

    Raises
    ------
    ConfigurationError
        There is nothing to fill, or the table does not fit.
    """
    if table is None:
        return ()
    refuse_shared_parameters(program)
    templates = templates_of(program)
    return tuple(FilledTable(template, table) for template in templates)


def filled_program(program: Program, table: object) -> Program:
    """Return a program whose templates are filled in; its other statements stay as they are.

    Raises
    ------
    ConfigurationError
        There is nothing to fill, or the table does not fit.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE at_{n} MATCH [v = {n}]; SUBSCRIBE plain MATCH [v = 9]")
    >>> [one.name for one in filled_program(program, [{"n": 1}, {"n": 2}]).subscriptions]
    ['at_1', 'at_2', 'plain']
    """
    if table is None:
        return program
    templates_of(program)
    others = tuple(one for one in program.statements if not isinstance(one, Subscription))
    return Program((*others, *fill(program, table)), program.source)


def templates_of(program: Program) -> list[Subscription]:
    """Return the subscriptions that have parameters.

    Raises
    ------
    ConfigurationError
        There are none, so that a table has nothing to fill.
    """
    templates = [one for one in program.subscriptions if is_template(one)]
    if not templates:
        msg = "a table was given, but the program has no parameters such as {limit} to fill"
        raise ConfigurationError(msg)
    return templates


def without_templates(program: Program) -> Program:
    """Return a program without the subscriptions that have parameters."""
    plain = (
        one
        for one in program.statements
        if not (isinstance(one, Subscription) and is_template(one))
    )
    return Program(tuple(plain), program.source)


def live_program(
    program: Program, tables: Sequence[FilledTable], *, default_stream: str | None
) -> LiveProgram:
    """Return a program in force, without its templates.

    Which stream rows without one belong to is told by all subscriptions, one row of each table
    among them.
    """
    if not tables:
        return LiveProgram(program, default_stream=default_stream)
    plain = without_templates(program)
    samples = tuple(table.row(0) for table in tables if len(table))
    whole = LiveProgram(Program((*plain.statements, *samples)), default_stream=default_stream)
    return LiveProgram(plain, default_stream=whole.default_stream)
