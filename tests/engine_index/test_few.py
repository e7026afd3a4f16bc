"""Few filters are asked column by column; more than a word has bits are searched for."""

import pytest
from tests.engine_index.contract import answers, asked
from tests.engine_index.worlds import condition, event

from tocsin.engine.columns import Vocabulary
from tocsin.engine.index import PredicateIndex
from tocsin.engine.index.few import BLOCK, MOST


def make(*texts: str) -> PredicateIndex:
    index = PredicateIndex(Vocabulary())
    for text in texts:
        index.add_condition(condition(text))
    return index


@pytest.mark.parametrize("count", [MOST - 1, MOST, MOST + 1])
def test_it_answers_at_the_edge_of_a_word(count: int) -> None:
    index = make(*(f"a >= {i}" for i in range(count)))
    stream = [event(a=i) for i in (-1, 0, 40, count - 1, count)]
    assert asked(index, stream) == answers(index, stream)
    assert [len(one) for one in asked(index, stream)] == [0, 1, 41, count, count]


def test_a_batch_longer_than_a_block() -> None:
    index = make("a = 1", "a > 0.5 AND a + b = 3", "NOT s CONTAINS 'x' OR a = 2")
    stream = [event(a=i % 3, b=2, s="xy"[i % 2]) for i in range(2 * BLOCK + 7)]
    assert asked(index, stream) == answers(index, stream)


def test_nothing_is_searched_for() -> None:
    index = make("a = 1", "b = 2")
    assert asked(index, [event(a=1, b=2), event(a=2)]) == [[0, 1], []]
    assert (index.counters.operations, index.counters.literals, index.counters.events) == (0, 4, 2)


def test_a_program_runs_only_where_the_rest_holds() -> None:
    index = make("a = 1 AND a + b > 2")
    assert asked(index, [event(a=1, b=2), event(a=3, b=2), event(a=1, b=1)]) == [[0], [], []]
