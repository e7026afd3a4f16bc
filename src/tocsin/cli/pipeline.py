"""`tocsin pipeline init | check | run | status`: a pipeline on Spark, as a file."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tocsin.cli.consoles import output, say, say_note, write
from tocsin.cli.examples import with_examples
from tocsin.cli.pipeline_progress import Following
from tocsin.cli.pipeline_status import status_lines
from tocsin.cli.plain import PlainCommand, PlainGroup
from tocsin.cli.sparks import check_spark
from tocsin.cli.terminations import Termination
from tocsin.errors import ConfigurationError
from tocsin.model.counting import counted

EXAMPLES: Final = (
    "tocsin pipeline init orders",
    "tocsin pipeline check orders/pipeline.toml",
    "tocsin pipeline run orders/pipeline.toml",
    "tocsin pipeline status orders/pipeline.toml",
)

pipeline = typer.Typer(
    cls=PlainGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Run subscriptions on Spark, as a file says: sources, subscriptions, sinks.",
)
File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The file of the pipeline, such as pipeline.toml.")
]


def pipeline_init(
    directory: Annotated[
        Path, typer.Argument(metavar="DIRECTORY", help="Where to; by default this one.")
    ] = Path(),
) -> None:
    """Write a pipeline that runs as it is: a commented file, subscriptions and a few events."""
    names = write_pipeline(directory)
    for name in names:
        output().print(f"  {directory / name}", soft_wrap=True)
    say(f"Now try: tocsin pipeline run {directory / 'pipeline.toml'}")


def write_pipeline(directory: Path) -> list[str]:
    """Write the files of a new pipeline and return their names.

    Raises
    ------
    ConfigurationError
        One of them is there already, or cannot be written.
    """
    package = resources.files("tocsin.cli")
    files = {
        "pipeline.toml": package / "pipeline_project" / "pipeline.toml",
        "rules.tocsin": package / "project" / "rules.tocsin",
        "events/orders.jsonl": package / "pipeline_project" / "events" / "orders.jsonl",
    }
    for name in files:
        if (directory / name).exists():
            msg = f"{directory / name} is there already; choose another directory, or move it away"
            raise ConfigurationError(msg)
    try:
        for name, template in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            text = template.read_text(encoding="utf-8")
            (directory / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        msg = f"{error.filename or directory} cannot be written: {error.strerror}"
        raise ConfigurationError(msg) from error
    return list(files)


def pipeline_check(file: File) -> None:
    """Look for mistakes in a pipeline and its subscriptions, without starting Spark."""
    found = _read(file)
    said = [
        counted(len(found.sources), "source"),
        "a watched table of subscriptions"
        if found.watched is not None
        else counted(len(found.program.subscriptions), "subscription"),
        counted(len(found.sinks), "sink"),
    ]
    say(f"{file}: no mistakes; mode {found.mode}, {', '.join(said)}")
    from tocsin.spark.pipeline.column_check import notes_on_columns  # noqa: PLC0415 - needs Spark
    from tocsin.spark.pipeline.formats import notes_on_formats  # noqa: PLC0415 - needs Spark
    from tocsin.spark.pipeline.sentences import notes_on_modes  # noqa: PLC0415 - needs Spark

    notes = (*notes_on_columns(found), *notes_on_formats(found), *notes_on_modes(found))
    for note in notes:
        say_note(note)


def pipeline_run(
    file: File,
    *,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
    ] = False,
) -> None:
    """Run a pipeline; everything in its file is checked before Spark starts."""
    found = _read(file)
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped] # noqa: PLC0415
    from pyspark.errors import PySparkException  # noqa: PLC0415 - needs Spark

    from tocsin.spark.pipeline import run_pipeline  # noqa: PLC0415 - needs Spark
    from tocsin.spark.pipeline.frames import first_line, root_line  # noqa: PLC0415 - as above
    from tocsin.spark.pipeline.standing import shown_counts  # noqa: PLC0415 - needs Spark

    ending = Termination()
    try:
        with ending, Following() as shown:
            counts = run_pipeline(
                found,
                tell=None if quiet else shown.tell,
                watch=None if quiet else shown.watch,
            )
    except KeyboardInterrupt:
        raise typer.Exit(ending.exit_code) from None
    except PySparkException as error:
        msg = f"{file}: Spark says: {first_line(error)}"
        raise ConfigurationError(msg) from error
    except Py4JJavaError as error:
        msg = f"{file}: Spark says: {root_line(error)}"
        raise ConfigurationError(msg) from error
    if not quiet:
        say(shown_counts(counts))


def pipeline_status(file: File) -> None:
    """Show how far the last run of a pipeline is: rows, rates, state and lag."""
    check_spark("a pipeline")
    from tocsin.spark.pipeline.log import last_run, read_log  # noqa: PLC0415 - needs Spark
    from tocsin.spark.pipeline.process import is_running  # noqa: PLC0415 - needs Spark
    from tocsin.spark.pipeline.read import read_log_path  # noqa: PLC0415 - needs Spark

    run = last_run(read_log(read_log_path(file)))
    write("\n".join(status_lines(run, is_running=is_running(run[0]) if run else None)))


def _read(file: Path) -> Any:
    check_spark("a pipeline")
    from tocsin.spark.pipeline import read_pipeline  # noqa: PLC0415 - needs Spark

    return read_pipeline(file)


def _add(command: Callable[..., None]) -> None:
    name = command.__name__.removeprefix("pipeline_")
    own = tuple(one for one in EXAMPLES if one.startswith(f"tocsin pipeline {name}"))
    pipeline.command(name, cls=PlainCommand, help=with_examples(command, own))(command)


for _command in (pipeline_init, pipeline_check, pipeline_run, pipeline_status):
    _add(_command)
