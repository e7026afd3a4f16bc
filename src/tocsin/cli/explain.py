"""`tocsin explain`: what a subscription means, in plain words, and how it runs."""

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
from tocsin.cli.explain_plan import draw_plans, plan_of
from tocsin.cli.padres import Padres, parse_source
from tocsin.cli.programs import Source, read_source, reported
from tocsin.cli.words import named_subscriptions
from tocsin.language.checker import Checked, check
from tocsin.language.explain import Explanation, Step
from tocsin.language.explain import explain as explain_program
from tocsin.plan.graph.text import to_text as plan_text

EXAMPLES: Final = (
    "tocsin explain rules.tocsin",
    "tocsin explain rules.tocsin --subscription unpaid",
    "tocsin explain rules.tocsin --plan --svg plan.svg",
)


def explain(  # noqa: PLR0913 - every option is a parameter
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Programs; - reads one from standard input."),
    ],
    *,
    subscription: Annotated[
        list[str] | None,
        typer.Option(
            "--subscription", "--name", "-s", metavar="NAME", help="Only this one; repeatable."
        ),
    ] = None,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Show the plan too: filters, machines, states and costs."),
    ] = False,
    dot: Annotated[
        Path | None,
        typer.Option("--dot", metavar="FILE", help="Write the plan for Graphviz."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw the plan.")
    ] = None,
    padres: Padres = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Plain lines, as when the output is no terminal.")
    ] = False,
) -> None:
    """Tell what subscriptions mean: the normal form, the meaning step by step, and the plan."""
    sources = [read_source(path) for path in files]
    found = [_checked(source, padres=padres) for source in sources]
    wanted = named_subscriptions([one.program for one in found], subscription)
    is_planned = plan or dot is not None or svg is not None
    plans = [plan_of(one, wanted) for one in found] if is_planned else []
    console = output()
    for place, (source, checked) in enumerate(zip(sources, found, strict=True)):
        program = checked.program
        names = [one.name for one in program.subscriptions if one.name in wanted]
        explanations = explain_program(program, names=names)
        title = source.name if len(sources) > 1 and explanations else ""
        _show(console, explanations, title=title, plain=plain, is_first=place == 0)
        if plan and explanations:
            write(f"\n{plan_text(plans[place], width=console.width)}")
    draw_plans(plans, dot=dot, svg=svg)


def _checked(source: Source, *, padres: bool) -> Checked:
    with reported(source):
        return check(parse_source(source, padres=padres))


def _show(
    console: Console, explanations: list[Explanation], *, title: str, plain: bool, is_first: bool
) -> None:
    """Show what the subscriptions of one program mean."""
    if plain or not console.is_terminal:
        shown = "\n\n".join(one.to_text(width=console.width) for one in explanations)
        write("\n" * (not is_first) + "\n\n".join(filter(None, (title, shown))))
        return
    write(title, style="bold")
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
