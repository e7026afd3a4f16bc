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
from tocsin.cli.programs import read_source, reported
from tocsin.cli.words import named_subscriptions
from tocsin.language.checker import check
from tocsin.language.explain import Explanation, Step
from tocsin.language.explain import explain as explain_program
from tocsin.language.parser import parse

EXAMPLES: Final = (
    "tocsin explain rules.tocsin",
    "tocsin explain rules.tocsin --subscription unpaid",
)


def explain(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A program; - reads standard input.")
    ],
    *,
    subscription: Annotated[
        list[str] | None,
        typer.Option("--subscription", "-s", metavar="NAME", help="Only this one; repeatable."),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Plain lines, as when the output is no terminal.")
    ] = False,
) -> None:
    """Tell what subscriptions mean: the normal form, and the meaning step by step."""
    source = read_source(file)
    with reported(source):
        program = parse(source.text)
        check(program)
    names = named_subscriptions(program, subscription)
    explanations = explain_program(program, names=names)
    console = output()
    if plain or not console.is_terminal:
        write("\n\n".join(one.to_text(width=console.width) for one in explanations))
        return
    for one in explanations:
        _draw(console, one)


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
