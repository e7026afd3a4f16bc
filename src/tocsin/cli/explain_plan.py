"""The plan that `tocsin explain` shows and draws."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from tocsin.cli.outputs import write_text
from tocsin.errors import ConfigurationError
from tocsin.language.checker import Checked
from tocsin.language.normal import normalize
from tocsin.plan.graph import PlanGraph, plan_graph
from tocsin.plan.graph.dot import to_dot
from tocsin.plan.graph.svg import to_svg


def plan_of(checked: Checked, names: Collection[str]) -> PlanGraph:
    """Return the plan of the named subscriptions of a program."""
    subscriptions = zip(checked.program.subscriptions, checked.facts, strict=True)
    return plan_graph(
        normalize(one, definitions=checked.definitions, sources=facts.sources)
        for one, facts in subscriptions
        if one.name in names
    )


def draw_plans(plans: Sequence[PlanGraph], *, dot: Path | None, svg: Path | None) -> None:
    """Write the drawings that were asked for.

    Raises
    ------
    ConfigurationError
        There are several programs, and a drawing shows one.
    """
    writers: tuple[tuple[str, Path | None, Callable[[PlanGraph], str]], ...] = (
        ("--dot", dot, lambda plan: f"{to_dot(plan)}\n"),
        ("--svg", svg, to_svg),
    )
    for option, path, draw in writers:
        if path is None:
            continue
        if len(plans) != 1:
            msg = f"{option} draws one program, and {len(plans)} were given; name one file"
            raise ConfigurationError(msg)
        write_text(draw(plans[0]), path)
