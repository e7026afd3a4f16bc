"""How a proof fails: at one place of the text, for one reason."""

from __future__ import annotations

from typing import NoReturn


class RefusedError(Exception):
    """A strategy is not exact; `at` is the offset in the text of what is at fault.

    It never leaves the planner, which makes a `Refusal` of it.
    """

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason, at)
        self.reason, self.at = reason, at


def refuse(reason: str, at: int) -> NoReturn:
    """Give up a proof."""
    raise RefusedError(reason, at)
