"""What rows gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notification


class Taken(NamedTuple):
    """What rows gave: notifications, part by part, and dead letters."""

    found: list[Sequence[Notification]]
    letters: list[DeadLetter]
