"""How the work of subscriptions can be split with exactly the answers of one engine.

Read it in this order: `nodes` (what a plan says), `by_key`, `by_time` and `key_reach` (the proofs),
`needs` (what is read of the stream), `planner`.
"""

from tocsin.plan.partition.explain import explain_partitions
from tocsin.plan.partition.nodes import (
    Choice,
    Group,
    Needs,
    Overlap,
    PartitionPlan,
    Refusal,
    Strategy,
    StreamNeeds,
    Unit,
)
from tocsin.plan.partition.planner import PREFERENCE, plan_partitions, plan_subscriptions

__all__ = [
    "PREFERENCE",
    "Choice",
    "Group",
    "Needs",
    "Overlap",
    "PartitionPlan",
    "Refusal",
    "Strategy",
    "StreamNeeds",
    "Unit",
    "explain_partitions",
    "plan_partitions",
    "plan_subscriptions",
]
