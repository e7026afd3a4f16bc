"""The general road: one machine an operator, fed event by event.

Read `machine` (what every part and machine can do), `leaf`, `sequence` (chains and iterations),
`follow` (the joints between their elements), then the others.
"""

from tocsin.engine.machines.build import build
from tocsin.engine.machines.machine import Machine, Part
from tocsin.engine.machines.world import World

__all__ = ["Machine", "Part", "World", "build"]
