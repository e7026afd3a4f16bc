"""The plan that `tocsin explain` shows and draws."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tocsin.cli.outputs import write_text
from tocsin.errors import ConfigurationError, UnsupportedError
from tocsin.language.checker import Checked
from tocsin.language.normal import NormalSubscription, normalize
from tocsin.plan.graph import PlanGraph, plan_graph
from tocsin.plan.graph.dot import to_dot
from tocsin.plan.graph.svg import to_svg

if TYPE_CHECKING:
    from tocsin.engine.sizes import Sizes


def plan_of(checked: Checked, names: Collection[str]) -> PlanGraph:
    """Return the plan of the named subscriptions of a program."""
    subscriptions = zip(checked.program.subscriptions, checked.facts, strict=True)
    normal = [
        normalize(one, definitions=checked.definitions, sources=facts.sources)
        for one, facts in subscriptions
        if one.name in names
    ]
    sizes = _sizes(normal)
    return plan_graph(normal, of_lane=sizes.of_lane, of_watch=sizes.of_watch)


def _sizes(normal: Sequence[NormalSubscription]) -> Sizes:
    """Return what the subscriptions take; what cannot run yet has no size."""
    from tocsin.engine.sizes import Sizes, sizes_of  # noqa: PLC0415 - loads the engine

    try:
        return sizes_of(normal)
    except UnsupportedError:
        return Sizes({}, {})


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
