"""Linear machines: sequences and iterations of atoms, in kernels over flat arrays."""

from tocsin.engine.linear.lane import LinearLane
from tocsin.engine.linear.machine import Found, LinearMachine

__all__ = ["Found", "LinearLane", "LinearMachine"]
