"""Programs with a parameter table, which workers compile by column."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from tocsin.language.live import LiveProgram
from tocsin.language.load import Subscriptions, load_program
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tables import filled_program, filled_tables, without_templates
from tocsin.language.tree import Program
from tocsin.spark.roads import linear_names


@dataclass(frozen=True, slots=True)
class Template:
    """A program as it was written, and the table that fills it in; None where there is none."""

    program: Program
    table: object

    def filled(self) -> Program:
        """Return the program with a subscription for each row of the table.

        Raises
        ------
        ConfigurationError
            There is nothing to fill, or the table does not fit.
        """
        return filled_program(self.program, self.table)

    def is_linear(self, stream: str) -> bool:
        """Say whether there is a table, and all that it fills in runs in kernels.

        One row of each kind tells it: where another one differs, the engine takes the slower road
        for all of them, to the same answers.

        Parameters
        ----------
        stream
            The stream of subscriptions that name none.

        Examples
        --------
        >>> from tocsin.language.parser import parse
        >>> program = parse("SUBSCRIBE at_{n} MATCH a:[v = {n}] ; !b:[v = 0] FOR 1 s")
        >>> Template(program, [{"n": 1}, {"n": 2}]).is_linear("ticks")
        False
        """
        if self.table is None:
            return False
        tables = filled_tables(self.program, self.table)
        rows = [table.row(row) for table in tables if len(table) for row in table.samples()]
        plain = without_templates(self.program)
        sampled = Program((*plain.statements, *rows), self.program.source)
        found = linear_names(LiveProgram(sampled, default_stream=stream))
        return bool(rows) and len(found) == len(sampled.subscriptions)


def template_of(subscriptions: Subscriptions, table: object) -> Template:
    """Return subscriptions as they were written, and their table.

    Raises
    ------
    LanguageError
        A subscription is wrong.
    UnsupportedError
        A subscription uses a part of the language that does not run yet.
    """
    program = load_program(subscriptions)
    refuse_unsupported(program, with_table=table is not None)
    return Template(program, table.toArrow() if isinstance(table, DataFrame) else table)
