"""A filter that nobody awaits is not evaluated."""

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from tests.engine_index.contract import answers
from tests.engine_index.worlds import condition, conditions, event, events

from tocsin.engine.columns import Vocabulary, batch_of_events
from tocsin.engine.index import IndexArrays, PredicateIndex, probe, probe_awaited
from tocsin.engine.index.kernels import kernel
from tocsin.language.tree import Expression
from tocsin.model.event import Event


def awaited_answers(
    index: PredicateIndex, stream: list[Event], awaited: npt.NDArray[np.int32]
) -> list[list[int]]:
    out = np.zeros(max(index.filter_end, 1), np.int32)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        batch = index.prepare(batch_of_events(stream, index.vocabulary))
        arrays = index.arrays()
        return [
            sorted(out[: probe_awaited(arrays, kind, bits, awaited, out)].tolist())
            for kind, bits in zip(batch.kind, batch.bits, strict=True)
        ]


@given(
    st.lists(conditions, min_size=1, max_size=8),
    st.lists(events(), min_size=1, max_size=4),
    st.data(),
)
def test_the_awaited_filters_are_found_and_no_others(
    filters: list[Expression], stream: list[Event], data: st.DataObject
) -> None:
    index = PredicateIndex(Vocabulary())
    numbers = [index.add_condition(tree) for tree in filters]
    waits = st.lists(st.integers(0, 2), min_size=len(filters), max_size=len(filters))
    awaited = np.array(data.draw(waits), np.int32)[: index.filter_end]
    for number in data.draw(st.lists(st.sampled_from(numbers), unique=True, max_size=2)):
        index.remove(number)
    for laid_out in (False, True):
        if laid_out:
            index.reorder()
        every = answers(index, stream)
        expected = [[number for number in found if awaited[number]] for found in every]
        assert awaited_answers(index, stream, awaited) == expected


def test_candidates_that_nobody_awaits_are_counted_and_not_verified() -> None:
    index = PredicateIndex(Vocabulary())
    numbers = [index.add_condition(condition(f"a = 1 AND b != {i}")) for i in range(100)]
    index.reorder()
    awaited = np.zeros(100, np.int32)
    awaited[numbers[7]] = 1
    assert awaited_answers(index, [event(a=1, b=50)], awaited) == [[numbers[7]]]
    counters = index.counters
    assert (counters.candidates, counters.skipped, counters.literals) == (100, 99, 1)


def test_a_conjunction_with_several_owners_is_verified_for_any_of_them() -> None:
    index = PredicateIndex(Vocabulary())
    alone = index.add_condition(condition("a = 1 AND b = 2"))
    either = index.add_condition(condition("a = 1 AND b = 2 OR c = 3"))
    for chosen in (alone, either):
        awaited = np.zeros(2, np.int32)
        awaited[chosen] = 1
        assert awaited_answers(index, [event(a=1, b=2)], awaited) == [[chosen]]
    index.remove(alone)
    assert awaited_answers(index, [event(a=1, b=2)], awaited) == [[either]]


@kernel  # type: ignore[untyped-decorator]
def _count_all(
    arrays: IndexArrays,
    kind: npt.NDArray[np.uint8],
    bits: npt.NDArray[np.int64],
    out: npt.NDArray[np.int32],
) -> int:
    found = 0
    for row in range(kind.shape[0]):
        found += probe(arrays, kind[row], bits[row], out)
    return found


def test_a_kernel_without_reference_counts_may_probe() -> None:
    index = PredicateIndex(Vocabulary())
    index.add_condition(condition("a > 1 AND lower(s) = 'x'"))
    stream = [event(a=2, s="X"), event(a=2, s="y"), event(a=1, s="x")]
    batch = index.prepare(batch_of_events(stream, index.vocabulary))
    assert _count_all(index.arrays(), batch.kind, batch.bits, np.zeros(1, np.int32)) == 1
