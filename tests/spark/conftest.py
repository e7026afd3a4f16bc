"""One Spark session for all tests here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session with two cores, which ends with the tests."""
    from tocsin.spark import local_session  # noqa: PLC0415 - needs Spark

    session = local_session(
        cores=2,
        settings={"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"},
    )
    yield session
    session.stop()


@pytest.fixture
def far_from_utc(spark: SparkSession) -> Iterator[None]:
    """A session of another day than UTC for nine hours."""
    yield from _in_zone(spark, "Asia/Tokyo")


@pytest.fixture
def missing_hour(spark: SparkSession) -> Iterator[None]:
    """A session in whose zone an hour of the year is missing."""
    yield from _in_zone(spark, "America/New_York")


def _in_zone(spark: SparkSession, zone: str) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", zone)
    yield
    spark.conf.set("spark.sql.session.timeZone", "UTC")
