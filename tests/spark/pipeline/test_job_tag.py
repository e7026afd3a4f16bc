"""A name by which jobs are stopped from another thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from tocsin.spark.pipeline import job_tag
from tocsin.spark.pipeline.job_tag import JobTag

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
def test_jobs_are_stopped_from_another_thread(spark: SparkSession) -> None:
    tag = JobTag()
    errors: list[Exception] = []

    def work() -> None:
        try:
            with tag.on_jobs(spark):
                spark.range(10**13).select(F.sum(F.sqrt("id"))).collect()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    for _ in range(300):
        tag.stop_jobs(spark)
        thread.join(0.2)
        if not thread.is_alive():
            break
    assert len(errors) == 1


def test_with_connect_the_session_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    class Remote:
        """A session of Spark Connect, which has no context."""

        def __getattr__(self, name: str) -> Any:
            if name == "sparkContext":
                raise AttributeError(name)
            return lambda tag: asked.append((name, tag))

    monkeypatch.setattr(job_tag, "is_remote", lambda: True)
    tag, remote = JobTag(), Remote()
    with tag.on_jobs(remote):  # type: ignore[arg-type]
        tag.stop_jobs(remote)  # type: ignore[arg-type]
    assert [name for name, _ in asked] == ["addTag", "interruptTag", "removeTag"]
    assert {name for _, name in asked} == {tag.name}
