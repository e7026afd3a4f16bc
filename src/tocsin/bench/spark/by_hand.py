"""What a user of Spark would write without tocsin."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any, Final

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

_WINDOW_US: Final = 60_000_000
_FALLS: Final = 5


def identity(events: DataFrame) -> DataFrame:
    """Hand all rows to Python and back."""

    def same(batches: Iterator[Any]) -> Iterator[Any]:
        yield from batches

    return events.mapInArrow(same, events.schema)


def identity_by_key(events: DataFrame, key: str, parts: int) -> DataFrame:
    """Do the same after a shuffle by key and a sort, which every keyed pattern needs."""
    return identity(events.repartition(parts, key).sortWithinPartitions("n"))


def handed_over(events: DataFrame, key: str, parts: int) -> DataFrame:
    """Bring rows to Python by key and in order, and nothing back: what any match by key costs."""

    def unread(batches: Iterator[Any]) -> Iterator[Any]:
        for _ in batches:
            pass
        return iter(())

    shuffled = events.repartition(parts, key).sortWithinPartitions("n")
    return shuffled.mapInArrow(unread, events.schema)


def intrusion_by_join(logins: DataFrame) -> DataFrame:
    """Join logins with themselves: three denied and a success within a minute."""
    timed = logins.select("n", "ip", "status", F.unix_micros("ts").alias("us"))
    denied = timed.filter("status = 'denied'")
    d1, d2, d3 = denied.alias("d1"), denied.alias("d2"), denied.alias("d3")
    success = timed.filter("status = 'success'").alias("s")
    found = d1
    for before, after, name in (("d1", d2, "d2"), ("d2", d3, "d3"), ("d3", success, "s")):
        is_later = F.col(f"{name}.n") > F.col(f"{before}.n")
        is_near = F.col(f"{name}.us") - F.col("d1.us") <= _WINDOW_US
        found = found.join(after, (F.col(f"{name}.ip") == F.col("d1.ip")) & is_later & is_near)
    return found.select("d1.n", "d2.n", "d3.n", "s.n")


def intrusion_by_loop(logins: DataFrame) -> DataFrame:
    """Loop over the logins of each address in Python."""

    def loop(rows: Any) -> Any:
        import pandas as pd  # noqa: PLC0415 - in the worker, and an extra

        found: list[tuple[int, int, int, int]] = []
        denied: list[tuple[int, int]] = []
        rows = rows.sort_values("n")
        for n, us, status in zip(rows["n"], rows["us"], rows["status"], strict=True):
            denied = [one for one in denied if us - one[1] <= _WINDOW_US]
            if status == "denied":
                denied.append((n, us))
            else:
                found += [(*(d for d, _ in three), n) for three in combinations(denied, 3)]
        return pd.DataFrame(found, columns=["d1", "d2", "d3", "s"])

    timed = logins.select("n", "ip", "status", F.unix_micros("ts").alias("us"))
    return timed.groupBy("ip").applyInPandas(loop, "d1 long, d2 long, d3 long, s long")


def falling_by_window(prices: DataFrame) -> DataFrame:
    """Compare each price with the five before it of its symbol."""
    before = Window.partitionBy("symbol").orderBy("n")
    lagged = [F.lag("price", back).over(before).alias(f"p{back}") for back in range(1, _FALLS + 1)]
    names = ["price", *(f"p{back}" for back in range(1, _FALLS + 1))]
    falls = [F.col(later) < F.col(earlier) for later, earlier in pairwise(names)]
    found = prices.select("n", "symbol", "price", *lagged)
    for fall in falls:
        found = found.filter(fall)
    return found


def falling_by_join(prices: DataFrame) -> DataFrame:
    """Number the prices of each symbol, and join them with themselves."""
    numbered = prices.withColumn(
        "place", F.row_number().over(Window.partitionBy("symbol").orderBy("n"))
    ).select("n", "symbol", "place", "price")
    found = numbered.alias("p0")
    for back in range(1, _FALLS + 1):
        is_next = (F.col(f"p{back}.symbol") == F.col("p0.symbol")) & (
            F.col(f"p{back}.place") == F.col("p0.place") + back
        )
        is_lower = F.col(f"p{back}.price") < F.col(f"p{back - 1}.price")
        found = found.join(numbered.alias(f"p{back}"), is_next & is_lower)
    return found.select(F.col(f"p{_FALLS}.n"))


def falling_by_loop(prices: DataFrame) -> DataFrame:
    """Loop over the prices of each symbol in Python."""

    def loop(rows: Any) -> Any:
        import pandas as pd  # noqa: PLC0415 - in the worker, and an extra

        found, falls, before = [], 0, float("-inf")
        rows = rows.sort_values("n")
        for n, price in zip(rows["n"], rows["price"], strict=True):
            falls = falls + 1 if price < before else 0
            before = price
            if falls >= _FALLS:
                found.append(n)
        return pd.DataFrame({"n": found})

    return prices.groupBy("symbol").applyInPandas(loop, "n long")
