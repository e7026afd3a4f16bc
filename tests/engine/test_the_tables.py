"""The tables of operators and the examples of the papers, once more with the engine."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

import pytest

import tocsin
from tocsin.engine import Engine
from tocsin.errors import ConfigurationError
from tocsin.language.load import load_program
from tocsin.language.template import fill
from tocsin.language.tree import Program, Subscription
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notification, Notifications
from tocsin.model.read import rows_of

TABLES = [
    "tests.reference.test_operators_absence",
    "tests.reference.test_operators_clauses",
    "tests.reference.test_operators_counting",
    "tests.reference.test_operators_filters",
    "tests.reference.test_operators_iteration",
    "tests.reference.test_operators_live",
    "tests.reference.test_operators_notation",
    "tests.reference.test_operators_sequence",
    "tests.reference.test_operators_streams",
    "tests.reference.test_operators_variables",
    "tests.papers.test_a_medias",
    "tests.papers.test_cayuga",
    "tests.papers.test_p_topss",
    "tests.papers.test_padres",
]


def match_with_engine(
    events: Iterable[Any],
    subscriptions: Any,
    *,
    clock: object = None,
    table: object = None,
    **options: Any,
) -> Notifications:
    """Do what `tocsin.match` does, with the engine."""
    program = load_program(subscriptions)
    if table is not None:
        others = tuple(s for s in program.statements if not isinstance(s, Subscription))
        program = Program((*others, *fill(program, table)))
    options.pop("engine", None)
    engine = Engine(program, history=True, **options)
    found: list[Notification] = []
    letters: list[DeadLetter] = []
    for row, raw in rows_of(events):
        assert row == engine.stats().rows
        part = engine.process([raw])
        found += list(part)
        letters += list(part.dead_letters)
    if clock is not None:
        found += engine.advance(clock)
    return Notifications(found, dead_letters=letters, form=engine.time_form)


@pytest.fixture(autouse=True)
def _with_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tocsin, "match", match_with_engine)


def _collect(module: str) -> dict[str, Any]:
    """Return the tests of a module under names of their own."""
    short = module.rpartition(".test_")[2]
    found = vars(importlib.import_module(module)).items()
    tests = {f"test_{short}__{name}": one for name, one in found if name.startswith("test_")}
    classes = {f"Test_{short}__{name}": one for name, one in found if name.startswith("Test")}
    return {**tests, **classes}


for _module in TABLES:
    globals().update(_collect(_module))


def test_the_clock_must_be_a_time() -> None:
    with pytest.raises(ConfigurationError, match="clock: 'soon' is not a time"):
        match_with_engine([], "SUBSCRIBE s MATCH [a = 1]", clock="soon")
