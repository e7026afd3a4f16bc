"""What every way of making a predicate index must do."""

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine_index.worlds import condition, conditions, event, events, reference_holds

from tocsin.engine.columns import Vocabulary, batch_of_events
from tocsin.engine.index import PredicateIndex, Strategy, layers
from tocsin.language.tree import Expression
from tocsin.model.event import Event


def answers(index: PredicateIndex, stream: Sequence[Event]) -> list[list[int]]:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        found = index.match(batch_of_events(stream, index.vocabulary))
    return [found.of(i) for i in range(len(stream))]


def asked(index: PredicateIndex, stream: Sequence[Event]) -> list[list[int]]:
    """Return what a lane is told: few filters are not searched for."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        ready = index.prepare(batch_of_events(stream, index.vocabulary))
        found = index.match_prepared(ready.kind, ready.bits)
    return [found.of(i) for i in range(len(stream))]


# Each strategy inherits the tests: that they run on several classes is the point.
_inherited = settings(suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow])


class IndexContract:
    strategy: Strategy = Strategy()

    def make(self, filters: Sequence[str | Expression]) -> tuple[PredicateIndex, list[int]]:
        index = PredicateIndex(Vocabulary(), strategy=self.strategy)
        trees = [condition(one) if isinstance(one, str) else one for one in filters]
        return index, [index.add_condition(tree) for tree in trees]

    @_inherited
    @given(st.lists(conditions, min_size=1, max_size=8), st.lists(events(), max_size=6))
    def test_it_answers_as_the_reference_does(
        self, filters: list[Expression], stream: list[Event]
    ) -> None:
        index, numbers = self.make(filters)
        for laid_out in (False, True):
            if laid_out:
                index.reorder()
            for found, one in zip(answers(index, stream), stream, strict=True):
                expected = {
                    number
                    for number, tree in zip(numbers, filters, strict=True)
                    if reference_holds(tree, one)
                }
                assert set(found) == expected
            assert asked(index, stream) == answers(index, stream)

    @_inherited
    @given(st.data(), st.integers(0, 4), st.integers(1, 8), st.integers(0, 2))
    def test_filters_come_and_go(
        self, data: st.DataObject, fresh: int, delta: int, dead: int
    ) -> None:
        """With small layers, so that filters move through all of them."""
        limits = {"_MOST_FRESH": fresh, "_MOST_DELTA": delta, "_FEW_DEAD": dead}
        with patch.multiple(layers, **limits):
            self.come_and_go(data)

    def come_and_go(self, data: st.DataObject) -> None:
        index = PredicateIndex(Vocabulary(), strategy=self.strategy)
        held: list[tuple[int, Expression]] = []
        for _ in range(data.draw(st.integers(1, 6))):
            trees = data.draw(st.lists(conditions, max_size=4))
            held += [(index.add_condition(tree), tree) for tree in trees]
            for _ in range(data.draw(st.integers(0, 3))):
                if held:
                    place = data.draw(st.integers(0, len(held) - 1))
                    index.remove(held.pop(place)[0])
            if data.draw(st.booleans()):
                index.reorder()
            one = data.draw(events())
            expected = {number for number, tree in held if reference_holds(tree, one)}
            assert set(answers(index, [one])[0]) == set(asked(index, [one])[0]) == expected
        for number, _ in held:
            index.remove(number)
        assert answers(index, [event(a=1)]) == [[]]
        assert index.filter_count == 0

    def test_an_event_without_the_attribute_has_no_candidates(self) -> None:
        index, _ = self.make(["ip = '10.0.0.1'"])
        index.reorder()
        assert answers(index, [event(status="denied")]) == [[]]
        assert index.counters.candidates == 0

    def test_equal_filters_have_one_number(self) -> None:
        index, numbers = self.make(["a = 1 AND b = 2", "2 = b AND a = 1.0", "a = 1"])
        assert numbers[0] == numbers[1] != numbers[2]
        index.remove(numbers[0])
        assert answers(index, [event(a=1, b=2)]) == [sorted(set(numbers))]
        index.remove(numbers[0])
        assert answers(index, [event(a=1, b=2)]) == [[numbers[2]]]
