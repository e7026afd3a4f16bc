"""The `tocsin` command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

import typer

from tocsin._version import __version__
from tocsin.cli import backtest, bench, check, demo, explain, fmt, new, pipeline, run, test
from tocsin.cli.examples import with_examples
from tocsin.cli.exits import HELP
from tocsin.cli.plain import PlainCommand, PlainGroup

_OVERVIEW: Final = """tocsin demo                                     see it at work
tocsin new my-project                           begin a project of your own
tocsin check rules.tocsin                       look for mistakes
tocsin run rules.tocsin --events events.jsonl   run it over events"""


app = typer.Typer(
    cls=PlainGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=HELP,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tocsin {__version__}")
        raise typer.Exit


@app.callback(help=f"Say what you wait for, get told when it happens.\n\n\b\n{_OVERVIEW}")
def tocsin(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Take the options that stand before the command."""


def _add(name: str, command: Callable[..., None], examples: tuple[str, ...]) -> None:
    app.command(
        name,
        cls=PlainCommand,
        help=with_examples(command, examples),
        rich_help_panel="Commands",
    )(command)


_add("check", check.check, check.EXAMPLES)
_add("fmt", fmt.fmt, fmt.EXAMPLES)
_add("run", run.run, run.EXAMPLES)
_add("backtest", backtest.backtest, backtest.EXAMPLES)
_add("explain", explain.explain, explain.EXAMPLES)
_add("test", test.run_scenarios, test.EXAMPLES)
_add("new", new.new, new.EXAMPLES)
_add("demo", demo.demo, demo.EXAMPLES)
app.add_typer(pipeline.pipeline, name="pipeline", rich_help_panel="Commands")
app.add_typer(bench.bench, name="bench", rich_help_panel="Commands")


def main() -> None:
    """Run the command line; the entry point of the package."""
    app()


if __name__ == "__main__":
    main()
