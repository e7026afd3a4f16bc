"""The few public names; a change here is a change for every user."""

from __future__ import annotations

import subprocess
import sys

import tocsin

PUBLIC = [
    "Checked",
    "ConfigurationError",
    "DeadLetter",
    "DurationError",
    "EventError",
    "LanguageError",
    "LanguageWarning",
    "Notification",
    "Notifications",
    "TimeError",
    "TocsinError",
    "UnsupportedError",
    "__version__",
    "build",
    "check",
    "format_text",
    "match",
    "parse",
    "to_text",
]


def test_the_public_names_are_these() -> None:
    assert sorted(tocsin.__all__) == PUBLIC


def test_every_public_name_has_a_docstring() -> None:
    assert all(getattr(tocsin, name).__doc__ for name in PUBLIC if name != "__version__")


def test_what_imports_the_command_and_checks_a_program_loads_no_engine() -> None:
    checks = "tocsin.check(tocsin.parse('SUBSCRIBE s MATCH [a = 1]'))"
    loaded = "[name for name in sys.modules if name in ('numba', 'tocsin.engine', 'pyspark')]"
    code = f"import sys, tocsin, tocsin.cli.main; {checks}; print({loaded})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
