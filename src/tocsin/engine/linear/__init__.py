"""Linear machines: sequences and iterations of atoms, run by kernels for many subscriptions."""

from tocsin.engine.linear.found import Found
from tocsin.engine.linear.lane import LinearLane

__all__ = ["Found", "LinearLane"]
