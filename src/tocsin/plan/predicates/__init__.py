"""Predicates: filters in disjunctive normal form over literals that are shared by value."""

from tocsin.plan.predicates.filters import MOST_CONJUNCTIONS, to_filter, without_alternatives
from tocsin.plan.predicates.literals import (
    Choice,
    Computed,
    Conjunction,
    Filter,
    Interval,
    Present,
    SimpleLiteral,
    Text,
)
from tocsin.plan.predicates.programs import PairTest, Program, Step
from tocsin.plan.predicates.split import SplitCondition, conjuncts, split_condition
from tocsin.plan.predicates.text_tests import TextTest

__all__ = [
    "MOST_CONJUNCTIONS",
    "Choice",
    "Computed",
    "Conjunction",
    "Filter",
    "Interval",
    "PairTest",
    "Present",
    "Program",
    "SimpleLiteral",
    "SplitCondition",
    "Step",
    "Text",
    "TextTest",
    "conjuncts",
    "split_condition",
    "to_filter",
    "without_alternatives",
]
