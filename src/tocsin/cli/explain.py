"""`tocsin explain`: what a subscription means, in plain words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from tocsin.cli.consoles import output, write
from tocsin.cli.padres import Padres, parse_source
from tocsin.cli.programs import Source, read_source, reported
from tocsin.cli.words import named_subscriptions
from tocsin.language.checker import check
from tocsin.language.explain import Explanation, Step
from tocsin.language.explain import explain as explain_program
from tocsin.language.tree import Program

EXAMPLES: Final = (
    "tocsin explain rules.tocsin",
    "tocsin explain rules.tocsin --subscription unpaid",
)


def explain(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Programs; - reads one from standard input."),
    ],
    *,
    subscription: Annotated[
        list[str] | None,
        typer.Option("--subscription", "-s", metavar="NAME", help="Only this one; repeatable."),
    ] = None,
    padres: Padres = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Plain lines, as when the output is no terminal.")
    ] = False,
) -> None:
    """Tell what subscriptions mean: the normal form, and the meaning step by step."""
    sources = [read_source(path) for path in files]
    programs = [_checked(source, padres=padres) for source in sources]
    wanted = named_subscriptions(programs, subscription)
    console = output()
    for place, (source, program) in enumerate(zip(sources, programs, strict=True)):
        names = [one.name for one in program.subscriptions if one.name in wanted]
        explanations = explain_program(program, names=names)
        title = source.name if len(sources) > 1 and explanations else ""
        if plain or not console.is_terminal:
            shown = "\n\n".join(one.to_text(width=console.width) for one in explanations)
            write("\n" * bool(place) + "\n\n".join(filter(None, (title, shown))))
            continue
        write(title, style="bold")
        for one in explanations:
            _draw(console, one)


def _checked(source: Source, *, padres: bool) -> Program:
    with reported(source):
        program = parse_source(source, padres=padres)
        check(program)
    return program


def _draw(console: Console, explained: Explanation) -> None:
    console.rule(Text(explained.name, style="bold"))
    form = Syntax(explained.normal_form, "sql", theme="ansi_dark", background_color="default")
    console.print(Panel(form, title="Normal form", title_align="left", border_style="dim"))
    tree = Tree(Text(f"It reads {explained.reads}. {explained.opening}"))
    for place, step in enumerate(explained.steps, start=1):
        _grow(tree, step, str(place))
    console.print(tree)
    clauses = Table(box=None, show_header=False, padding=(0, 1))
    for title, sentence in explained.clauses:
        clauses.add_row(Text(title, style="bold"), Text(sentence))
    console.print(clauses)


def _grow(tree: Tree, step: Step, number: str) -> None:
    branch = tree.add(Text.assemble((f"{number} ", "cyan"), step.text))
    for place, part in enumerate(step.parts, start=1):
        _grow(branch, part, f"{number}.{place}")
