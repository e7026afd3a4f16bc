"""From events to a batch and back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.engine_index.worlds import values

from tocsin.engine.columns import Vocabulary, batch_of_events, cell_of, events_of
from tocsin.model.event import Event
from tocsin.model.values import Timestamp, is_missing

MOMENTS = st.integers(-5, 5).map(Timestamp)
EVENTS = st.builds(
    Event,
    st.sampled_from(["s", "asks"]),
    st.integers(0, 9),
    MOMENTS,
    MOMENTS,
    st.dictionaries(st.sampled_from("abc"), values),
)


@given(st.lists(EVENTS, max_size=6), st.data())
def test_events_come_back_without_what_they_miss(events: list[Event], data: st.DataObject) -> None:
    words = Vocabulary()
    batch = batch_of_events(events, words)
    places = data.draw(st.lists(st.sampled_from(range(len(events))))) if events else []
    rows = np.array([one.row for one in events], np.int64)
    found = events_of(batch, rows, words.words(), np.array(places, np.int64))
    assert [(one.stream, one.row, one.begin, one.end) for one in found] == [
        (events[place].stream, events[place].row, events[place].begin, events[place].end)
        for place in places
    ]
    for one, place in zip(found, places, strict=True):
        present = {k: v for k, v in events[place].values.items() if not is_missing(v)}
        assert one.values == present
        assert {k: type(v) for k, v in one.values.items()} == {
            k: type(v) for k, v in present.items()
        }


@given(st.lists(EVENTS, max_size=6))
def test_a_batch_holds_the_cell_of_every_value(events: list[Event]) -> None:
    words = Vocabulary()
    batch = batch_of_events(events, words)
    assert batch.size == len(events)
    for row, one in enumerate(events):
        for name, value in one.values.items():
            place = words.attribute(name)
            assert (batch.kind[row, place], batch.bits[row, place]) == cell_of(value, words)


def test_attributes_that_came_after_the_batch_are_missing() -> None:
    words = Vocabulary()
    batch = batch_of_events([Event("s", 0, Timestamp(1), Timestamp(1), {"a": 1})], words)
    words.attribute("b")
    [found] = events_of(batch, np.array([0]), words.words(), np.array([0]))
    assert found.values == {"a": 1}
