"""The `tocsin` command."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tocsin._version import __version__
from tocsin.cli.bench import bench
from tocsin.cli.check import check
from tocsin.cli.consoles import complain
from tocsin.cli.demo import demo
from tocsin.cli.exits import HELP, exit_code_of
from tocsin.cli.explain import explain
from tocsin.cli.fmt import fmt
from tocsin.cli.new import new
from tocsin.cli.run import run
from tocsin.cli.test import test
from tocsin.errors import TocsinError


class Commands(TyperGroup):
    """The commands; an error of tocsin's own is told in a sentence, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except TocsinError as error:
            complain(str(error))
            raise typer.Exit(exit_code_of(error)) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=HELP,
)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - Typer calls it with the flag
    if wanted:
        typer.echo(f"tocsin {__version__}")
        raise typer.Exit


@app.callback()
def tocsin(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Say what you wait for, get told when it happens.

    \b
    tocsin demo                                     see it at work
    tocsin new my-project                           begin a project of your own
    tocsin check rules.tocsin                       look for mistakes
    tocsin run rules.tocsin --events events.jsonl   run it over events
    """


for command in (check, fmt, run, explain, test, new, demo):
    app.command(rich_help_panel="Commands")(command)
app.add_typer(bench, name="bench", rich_help_panel="Commands")


def main() -> None:
    """Run the command line; the entry point of the package."""
    app()


if __name__ == "__main__":
    main()
