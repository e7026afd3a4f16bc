"""The normal form: one shape for sequences and absences, for every engine to read."""

from tocsin.language.normal.nodes import (
    Both,
    Bounded,
    Chain,
    Counted,
    Either,
    Guard,
    Joint,
    Lead,
    Leaf,
    Normal,
    Repeated,
    Silence,
    Wait,
    can_be_empty,
    openings,
)
from tocsin.language.normal.normalize import NormalSubscription, normalize

__all__ = [
    "Both",
    "Bounded",
    "Chain",
    "Counted",
    "Either",
    "Guard",
    "Joint",
    "Lead",
    "Leaf",
    "Normal",
    "NormalSubscription",
    "Repeated",
    "Silence",
    "Wait",
    "can_be_empty",
    "normalize",
    "openings",
]
