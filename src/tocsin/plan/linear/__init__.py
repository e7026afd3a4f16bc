"""Linear patterns: sequences of atoms and iterations, without absences and conjunctions."""

from tocsin.plan.linear.nodes import Bound, Linear, Move, Node, NotLinearError, Test
from tocsin.plan.linear.paths import linear_form

__all__ = ["Bound", "Linear", "Move", "Node", "NotLinearError", "Test", "linear_form"]
