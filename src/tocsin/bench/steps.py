"""Telling how far long work is."""

from __future__ import annotations

from typing import Protocol


class Steps(Protocol):
    """Is told how many steps there will be, and the name of each as it begins."""

    def expect(self, total: int) -> None:
        """Say how many more steps there will be."""

    def begin(self, name: str) -> None:
        """Say that a step begins; the one before it is done."""


class Silent:
    """Tells nobody."""

    def expect(self, total: int) -> None:
        """Say how many more steps there will be."""

    def begin(self, name: str) -> None:
        """Say that a step begins; the one before it is done."""
