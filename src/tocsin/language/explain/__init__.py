"""What a subscription means, in plain words and in its normal form."""

from tocsin.language.explain.explanation import Explanation, explain
from tocsin.language.explain.normal_form import normal_form
from tocsin.language.explain.steps import Step

__all__ = ["Explanation", "Step", "explain", "normal_form"]
