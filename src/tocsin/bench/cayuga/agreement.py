"""Each template on a case small enough for the reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tocsin.api import match
from tocsin.bench.answers import check_equal
from tocsin.bench.cayuga.parameters import Parameters
from tocsin.bench.cayuga.templates import HEAD, Template
from tocsin.bench.cayuga.workload import make_events, make_workload, parts_of
from tocsin.bench.engines import make_engine
from tocsin.model.notification import Notification

_FEW: Final = Parameters(values=2, shapes=4)
"""Two values an attribute, so that there are matches to compare."""
_SOME: Final = Parameters(values=3, shapes=4)
"""For iterations, whose matches the reference finds by trying."""


def check_templates(templates: Iterable[Template]) -> int:
    """Compare the engine with the reference; return how many notifications were equal.

    Raises
    ------
    UnequalAnswersError
        They differ.

    Examples
    --------
    >>> check_templates([Template.LINEAR_STAT])
    13
    """
    return sum(_check(template) for template in templates)


def _check(template: Template) -> int:
    is_iterated = template is Template.NON_DETERMINISTIC_AGG
    parameters = _SOME if is_iterated else _FEW
    rows = make_events(40 if is_iterated else 120, parameters).to_pylist()
    parts = parts_of(make_workload(40, parameters), template)
    found = make_engine(HEAD, parts).process(rows)
    expected: list[Notification] = []
    for part in parts:
        expected += match(rows, HEAD + part.template, table=part.table, engine="reference")
    check_equal(template.value, _ordered(found), _ordered(expected), of="the reference")
    return len(expected)


def _ordered(found: Sequence[Notification]) -> list[str]:
    """Return notifications as text in an order of their own: parts are matched one by one."""
    return sorted(repr((one.subscription, one.events, one.emit)) for one in found)
