"""`register`: the table function for one session."""

from __future__ import annotations

from typing import cast

from pyspark.sql import SparkSession
from pyspark.sql.functions import udtf
from pyspark.sql.udtf import UserDefinedTableFunction

from tocsin.spark.sql.function import TocsinMatch


def register(spark: SparkSession, *, name: str = "tocsin_match") -> None:
    """Make the table function `tocsin_match` known to a session.

    In SQL: `tocsin_match(TABLE(events), subscriptions, time)`, and by name `end`, `order`,
    `streams`, `key`, `row` and `dead_letters`. It returns the columns of `NOTIFICATIONS`. By itself
    it reads the whole table in order, in one task; with `key => 'ip'` each key is read apart, which
    is refused where it would change the answers. Do not write PARTITION BY or ORDER BY: the
    function asks for them itself. A row that is no event ends the query, unless `dead_letters` says
    `'drop'`, or `'rows'`: then it comes out as a row of its kind.

    Parameters
    ----------
    spark
        The session.
    name
        What the function is called in SQL.

    Examples
    --------
    >>> register(spark)  # doctest: +SKIP
    >>> spark.sql("SELECT * FROM tocsin_match(TABLE(logins), "
    ...     "'SUBSCRIBE refused MATCH [status = ''denied'']', 'ts')")  # doctest: +SKIP
    """
    spark.udtf.register(name, cast(UserDefinedTableFunction, udtf(TocsinMatch)))
