"""What commands print, held as files; TOCSIN_UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"
EXAMPLES = Path(__file__).parents[2] / "examples"
WRONG = """STREAM logins (ts TIMESTAMP, ip STRING, status STRING) TIME ts;
SUBSCRIBE a MATCH x:[stauts = 'denied'];
SUBSCRIBE b MATCH x:[status = 3] ; y:[ip = z.ip];
SUBSCRIBE c MATCH x:[status = 'a']+;
"""
FAILING = """subscriptions_file = "rules.tocsin"

[[case]]
name = "what must not be"
start = 2026-03-02T09:00:00Z
events = [
    {"$at" = "0 min", order = "B-1", status = "placed", amount = 10.0},
    {"$clock" = "1 hour"},
]
expect = [{subscription = "unpaid", at = "31 min", emit = {order = "B-1"}}]
"""

COMMANDS = {
    "demo": "demo",
    "run_table": "run rules.tocsin -e events.jsonl",
    "run_jsonl": "run rules.tocsin -e events.jsonl --format jsonl",
    "run_csv": "run rules.tocsin -e events.jsonl --format csv",
    "run_limited": "run rules.tocsin -e events.jsonl --limit 1",
    "run_dead_letters": "run rules.tocsin -e events.jsonl -e bad.jsonl --strict",
    "check": "check rules.tocsin wrong.tocsin",
    "check_json": "check --format json wrong.tocsin",
    "explain": "explain rules.tocsin --subscription unpaid",
    "test": "test rules.scenario.toml failing.scenario.toml",
    "fmt_diff": "fmt --check --diff ugly.tocsin",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_as_it_was(name: str, tocsin: Callable, project: Path) -> None:
    (project / "wrong.tocsin").write_text(WRONG, encoding="utf-8")
    (project / "failing.scenario.toml").write_text(FAILING, encoding="utf-8")
    (project / "ugly.tocsin").write_text("subscribe  x match a : [x=1] -- why\n", encoding="utf-8")
    (project / "bad.jsonl").write_text('{"ts": 1}\nno JSON\n{"$clok": 3}\n', encoding="utf-8")
    result = tocsin(*COMMANDS[name].split())
    lines = [f"$ tocsin {COMMANDS[name]}", result.stdout, "--- stderr", result.stderr]
    shown = "\n".join([*lines, f"--- exit {result.exit_code}\n"])
    shown = "".join(f"{line.rstrip()}\n" for line in shown.splitlines())
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("TOCSIN_UPDATE_GOLDEN") == "1":
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")
