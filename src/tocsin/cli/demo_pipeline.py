"""The demo as a pipeline: a day of logins, by the embedded engine and by Spark, and a report."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tocsin.api import match
from tocsin.cli.consoles import say
from tocsin.cli.demo_events import demo_events
from tocsin.cli.explain_plan import plan_of
from tocsin.cli.outputs import write_text
from tocsin.cli.report import Report, to_html
from tocsin.cli.sparks import check_spark, messages_of_spark_in
from tocsin.errors import ConfigurationError
from tocsin.language.checker import check
from tocsin.language.parser import parse
from tocsin.model.counting import counted
from tocsin.plan.graph.svg import to_svg
from tocsin.plan.graph.text import to_text as plan_text
from tocsin.plan.partition import explain_partitions, plan_partitions

_FILES: Final = 4
_WIDTH: Final = 100
_STARTING: Final = (
    "With so few events the time on Spark goes into planning and into starting workers, not into "
    "matching."
)
_COMMON: Final = """
[events]
time = "ts"
order = "n"

[sources.logins]
format = "parquet"
path = "events"
{source}
[subscriptions]
files = ["alarms.tocsin"]

[sinks.notifications]
format = "parquet"
path = "{mode}"
"""
_BATCH: Final = 'mode = "batch"\n' + _COMMON.replace("{source}", "")
_SCHEMA: Final = "ts timestamp, n bigint, ip string, user string, status string, bytes bigint"
_STREAM: Final = f"""mode = "stream"
{_COMMON.replace('order = "n"', 'order = "n"' + chr(10) + 'row = "n"')}
[stream]
checkpoint = "checkpoint"
""".replace("{source}", f'schema = "{_SCHEMA}"\noptions = {{ maxFilesPerTrigger = 1 }}\n')


@dataclass(frozen=True, slots=True)
class Run:
    """One way to the notifications: who, how long it took, and what came out."""

    who: str
    seconds: float
    found: pa.Table


def demo_pipeline(*, on_spark: bool, report: Path) -> None:
    """Run the demo, compare who gave what, and write the report.

    Raises
    ------
    ConfigurationError
        Spark is asked for and missing, the report cannot be written, or the answers differ.
    """
    if on_spark:
        check_spark("the demo with --engine spark")
    directory = report.parent / "demo"
    text = _prepare(directory)
    events = demo_events()
    say(f"{counted(events.num_rows, 'login')} of a day; 5 subscriptions")
    say("embedded engine ... (the first run of an installation compiles it, for about a minute)")
    runs = [_embedded(events, text)]
    if on_spark:
        runs += _on_spark(directory, events)
    page = to_html(_report(text, events, runs))
    write_text(page, report)
    say(f"The report is in {report}.")
    if not all(_same(runs[0], run) for run in runs):
        msg = "the notifications differ; that is a fault of tocsin, please tell us"
        raise ConfigurationError(msg)


def _prepare(directory: Path) -> str:
    """Write subscriptions and pipelines; return the text of the subscriptions."""
    text = (
        resources.files("tocsin.cli").joinpath("pipeline_demo", "alarms.tocsin").read_text("utf-8")
    )
    files = {
        "alarms.tocsin": text,
        "batch.toml": _BATCH.replace("{mode}", "batch"),
        "stream.toml": _STREAM.replace("{mode}", "stream"),
    }
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (directory / name).write_text(content, encoding="utf-8", newline="\n")
    except OSError as error:
        msg = f"{directory} cannot be written: {error.strerror}"
        raise ConfigurationError(msg) from error
    return text


def _embedded(events: Any, text: str) -> Run:
    match(events, text)  # compiles what is not compiled yet: that belongs to no way
    begun = time.monotonic()
    found = match(events, text).to_arrow()
    return _done("embedded engine", begun, found)


def _on_spark(directory: Path, events: pa.Table) -> list[Run]:
    from tocsin import spark as pipelines  # noqa: PLC0415 - needs Spark

    _write_events(directory / "events", events)
    say("starting Spark on this machine ...")
    with messages_of_spark_in(directory / "spark.log"):
        session = pipelines.local_session(settings={"spark.sql.shuffle.partitions": "2"})
    return [_pipeline(session, directory, mode) for mode in ("batch", "stream")]


def _write_events(directory: Path, events: pa.Table) -> None:
    """Write events as files; a stream takes the oldest file first."""
    directory.mkdir(exist_ok=True)
    size = -(-events.num_rows // _FILES)
    for number in range(_FILES):
        path = directory / f"{number}.parquet"
        pq.write_table(events.slice(number * size, size), path)
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))


def _pipeline(session: Any, directory: Path, mode: str) -> Run:
    from tocsin.spark.pipeline import run_pipeline  # noqa: PLC0415 - needs Spark

    _clear(directory, [mode, "checkpoint"])
    say(f"Spark {mode}: {directory / mode}.toml ...")
    begun = time.monotonic()
    run_pipeline(directory / f"{mode}.toml", spark=session)
    found = session.read.parquet(str((directory / mode).absolute())).toArrow()
    return _done(f"Spark {mode}", begun, found)


def _clear(directory: Path, names: Sequence[str]) -> None:
    """Remove what an earlier demo wrote."""
    for name in names:
        shutil.rmtree(directory / name, ignore_errors=True)


def _done(who: str, begun: float, found: pa.Table) -> Run:
    run = Run(who, time.monotonic() - begun, found)
    say(f"{who}: {counted(found.num_rows, 'notification')} in {run.seconds:.1f} s")
    return run


def _same(one: Run, other: Run) -> bool:
    return _in_order(one.found) == _in_order(other.found)


def _in_order(found: pa.Table) -> list[str]:
    columns = [name for name in found.column_names if name != "id"]
    return sorted(repr(row) for row in found.select(columns).to_pylist())


def _report(text: str, events: pa.Table, runs: Sequence[Run]) -> Report:
    checked = check(parse(text))
    names = [one.name for one in checked.program.subscriptions]
    plan = plan_of(checked, names)
    first = runs[0]
    facts = {"events": f"{events.num_rows:,}", "notifications": f"{first.found.num_rows:,}"}
    facts |= {run.who: f"{run.seconds:.1f} s" for run in runs}
    return Report(
        title="tocsin: a day of logins",
        facts=facts,
        comparisons={f"{run.who} against {first.who}": _same(first, run) for run in runs[1:]},
        program=text,
        notifications=first.found.to_pylist(),
        names=names,
        drawing=to_svg(plan),
        plan=plan_text(plan, width=_WIDTH),
        partitions=explain_partitions(plan_partitions(checked.program)),
        note=_STARTING if len(runs) > 1 else "",
    )
