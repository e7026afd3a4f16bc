"""What the tests of benchmarks share."""

from __future__ import annotations

import pytest


class Told:
    """Remembers how many steps were announced and begun."""

    def __init__(self) -> None:
        self.expected = 0
        self.begun: list[str] = []

    def expect(self, total: int) -> None:
        self.expected += total

    def begin(self, name: str) -> None:
        self.begun.append(name)


@pytest.fixture
def told() -> Told:
    return Told()
