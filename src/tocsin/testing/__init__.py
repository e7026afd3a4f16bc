"""Tests for subscriptions: scenario files with a virtual clock, and a pytest plug-in for them."""

from tocsin.testing.scenario import ScenarioResult, run_case, run_scenario
from tocsin.testing.scenario_file import Case, Scenario, read_scenario
from tocsin.testing.scenario_keys import ScenarioError

__all__ = [
    "Case",
    "Scenario",
    "ScenarioError",
    "ScenarioResult",
    "read_scenario",
    "run_case",
    "run_scenario",
]
