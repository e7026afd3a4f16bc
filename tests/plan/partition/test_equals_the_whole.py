"""Every strategy that the planner allows gives the notifications of one engine over the whole."""

from __future__ import annotations

from hypothesis import event, example, given
from hypothesis import strategies as st
from tests.plan.partition.chains import chain_cases
from tests.plan.partition.dense import dense_cases
from tests.plan.partition.lasting import DUE, NEIGHBOURS
from tests.plan.partition.programs import cases
from tests.plan.partition.splitting import (
    Rows,
    course_of,
    in_one,
    split_chains,
    split_group,
    split_hot_keys,
    split_unit,
    units_of,
)

from tocsin.plan.partition import plan_subscriptions

PARTS = (1, 2, 7)
CASES = st.one_of(cases(), dense_cases(), dense_cases())


@given(CASES, st.booleans())
@example(case=NEIGHBOURS, unordered=True)
@example(case=DUE, unordered=False)
def test_every_allowed_strategy_equals_the_whole(case: tuple[str, Rows], unordered: bool) -> None:
    course = course_of(*case, unordered=unordered)
    for unit in units_of(course):
        wanted = in_one(course, unit.subscriptions)
        for choice in unit.choices:
            event(f"{choice.strategy}, {'some' if wanted else 'no'} matches")
            for parts in PARTS:
                assert split_unit(course, unit, choice, parts) == wanted, (choice, parts)
                if choice.chain is not None:
                    found = split_chains(course, unit, choice, parts)
                    assert found == wanted, (choice, parts)


@given(CASES, st.booleans())
@example(case=NEIGHBOURS, unordered=True)
@example(case=DUE, unordered=False)
def test_the_groups_of_a_plan_equal_the_whole(case: tuple[str, Rows], unordered: bool) -> None:
    course = course_of(*case, unordered=unordered)
    for group in plan_subscriptions(course.subscriptions, unordered=unordered).groups:
        wanted = in_one(course, group.subscriptions)
        for parts in PARTS:
            assert split_group(course, group, parts) == wanted, (group, parts)
            if group.slices is not None:
                found = split_hot_keys(course, group, group.slices, parts)
                assert found == wanted, (group, parts)
            if group.chain is not None:
                found = split_chains(course, group, group.choice, parts)
                assert found == wanted, (group, parts)


@given(chain_cases())
def test_slices_of_chains_equal_the_whole(case: tuple[str, Rows]) -> None:
    course = course_of(*case)
    for group in plan_subscriptions(course.subscriptions).groups:
        wanted = in_one(course, group.subscriptions)
        event(f"chain of {group.chain}, {'some' if wanted else 'no'} matches")
        for parts in PARTS if group.chain is not None else ():
            found = split_chains(course, group, group.choice, parts)
            assert found == wanted, (group, parts)
