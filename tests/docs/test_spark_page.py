"""The reference of `tocsin.spark` has every name, signature, setting and column of the sources."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from tocsin import spark
from tocsin.plan.partition import PREFERENCE
from tocsin.spark.pipeline import run_pipeline
from tocsin.spark.session import SETTINGS
from tocsin.spark.streaming.counts import counts_of

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "spark.md").read_text(encoding="utf-8")
OTHERS = (run_pipeline, counts_of)
FUNCTIONS = [
    *(one for one in (getattr(spark, name) for name in spark.__all__) if callable(one)),
    *OTHERS,
]


def section(name: str) -> str:
    """Return what the page says of a name."""
    parts = PAGE.split("\n## ")
    (found,) = [part for part in parts if part.startswith(f"{name}\n")]
    return found


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    found = inspect.signature(function).parameters.values()
    return [(one.name, one.kind, one.default) for one in found]


@pytest.mark.parametrize("name", [*spark.__all__, *(one.__name__ for one in OTHERS)])
def test_every_public_name_has_a_section_and_a_row(name: str) -> None:
    assert section(name)
    assert f"\n| [`{name}`](#{name.lower()}) |" in PAGE


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_signatures_are_those_of_the_sources(function: Any) -> None:
    block = re.search(r"```python no-run\n(.*?)```", section(function.__name__), re.DOTALL)
    assert block is not None
    names: dict[str, Any] = {"PREFERENCE": PREFERENCE}
    exec(f"from __future__ import annotations\n{block[1]}", names)
    assert parameters(names[function.__name__]) == parameters(function)


@pytest.mark.parametrize(
    "function",
    [spark.match, spark.match_stream, spark.local_session, *OTHERS],
    ids=lambda function: function.__name__,
)
def test_every_parameter_has_a_row(function: Any) -> None:
    rows = re.findall(r"^\| (`.*?`) \|", section(function.__name__), re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert told >= {name for name, _, _ in parameters(function)}


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting_of_a_local_session_is_told(setting: str) -> None:
    assert f"`{setting}`" in section("local_session")


def test_the_columns_are_those_of_the_sources() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(.*?)` \|$", section("NOTIFICATIONS"), re.MULTILINE)
    assert ", ".join(f"{name} {of}" for name, of in rows) == spark.NOTIFICATIONS
