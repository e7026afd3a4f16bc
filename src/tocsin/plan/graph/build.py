"""`plan_graph`: what becomes of a set of subscriptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tocsin.language.normal import NormalSubscription
from tocsin.language.printer import to_text
from tocsin.plan.cost import cost_of, growth_of
from tocsin.plan.graph.draft import Draft
from tocsin.plan.graph.general import General
from tocsin.plan.graph.kernel import add_linear
from tocsin.plan.graph.memory import with_memory
from tocsin.plan.graph.nodes import Memory, PlanGraph, PlanRoad, RoadName
from tocsin.plan.linear import NotLinearError, linear_form


def plan_graph(
    subscriptions: Iterable[NormalSubscription],
    *,
    of_lane: Mapping[tuple[str, ...], Memory] | None = None,
    of_watch: Mapping[str, Memory] | None = None,
) -> PlanGraph:
    """Return the plan of subscriptions, for reading and drawing.

    Parameters
    ----------
    subscriptions
        In normal form.
    of_lane, of_watch
        The memory of kernel machines, by the streams they read, and of subscriptions on the
        general road, where that was measured.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE s MATCH a:[x = 1] , b:[x = 2]; SUBSCRIBE t MATCH c:[x = 1]")
    >>> graph = plan_graph(LiveProgram(program).normal(program.subscriptions))
    >>> [(state.title, state.owners) for state in graph.states]
    [('start', ('s', 't')), ('after a', ('s', 't')), ('after b', ('s',))]
    """
    draft = Draft()
    for subscription in subscriptions:
        _add(draft, subscription)
    return with_memory(draft.graph(), of_lane or {}, of_watch or {})


def _add(draft: Draft, subscription: NormalSubscription) -> None:
    tree = subscription.tree
    window = "" if tree.within is None else f"WITHIN {to_text(tree.within)}"
    road: RoadName = "kernel"
    reason = ""
    try:
        machine = add_linear(draft, subscription, linear_form(subscription))
    except NotLinearError as error:
        road, reason = "general", reason_text(str(error))
        machine = General(draft, tree.name, window).add(subscription.pattern)
    draft.roads.append(
        PlanRoad(
            name=tree.name,
            reads=subscription.sources,
            road=road,
            reason=reason,
            machine=machine,
            window=window,
            where="" if subscription.where is None else to_text(subscription.where),
            growth=growth_of(subscription),
            notes=tuple(str(cost) for cost in cost_of(subscription)),
        )
    )


_NAMES = {
    "Both": "&",
    "Either": "|",
    "Counted": "nth",
    "Silence": "a silence",
    "Chain": "a sequence inside",
}


def reason_text(reason: str) -> str:
    """Return why a pattern is not linear, in the words of the language.

    Examples
    --------
    >>> reason_text("Both")
    '&'
    """
    return _NAMES.get(reason, reason)
