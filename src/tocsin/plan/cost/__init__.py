"""What subscriptions may cost: state that grows with the stream, matches that multiply."""

from tocsin.plan.cost.analysis import cost_of, growth_of
from tocsin.plan.cost.program import cost_warnings
from tocsin.plan.cost.warnings import REFUSED, CostClass, CostWarning, placed

__all__ = ["REFUSED", "CostClass", "CostWarning", "cost_of", "cost_warnings", "growth_of", "placed"]
