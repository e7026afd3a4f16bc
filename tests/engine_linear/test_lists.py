"""Lists in flat arrays grow and shrink as lists do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine.linear.lists import Lists, item_of

OWNERS = st.integers(0, 4)
CHANGES = st.lists(st.tuples(OWNERS, st.integers(-9, 9), st.booleans()), max_size=60)


@pytest.mark.parametrize("width", [1, 2])
@given(CHANGES)
def test_they_hold_what_was_put_in_and_not_taken_out(
    width: int, changes: list[tuple[int, int, bool]]
) -> None:
    lists, held = Lists(width), {owner: list[tuple[int, ...]]() for owner in range(5)}
    for owner, number, is_coming in changes:
        row = (number, owner)[:width]
        if is_coming:
            lists.append(np.array([owner]), np.array([row]))
            held[owner].append(row)
        elif row in held[owner]:
            lists.remove(owner, row)
            held[owner].remove(row)
        else:
            with pytest.raises(KeyError):
                lists.remove(owner, row)
        found = {one: [tuple(row) for row in lists.of(one).tolist()] for one in held}
        assert {one: sorted(rows) for one, rows in found.items()} == {
            one: sorted(rows) for one, rows in held.items()
        }
    assert lists.size == sum(map(len, held.values()))


@given(st.lists(st.tuples(OWNERS, st.integers(-9, 9)), max_size=30))
def test_kernels_read_the_same_numbers(items: list[tuple[int, int]]) -> None:
    lists = Lists(1)
    lists.append(np.array([owner for owner, _ in items]), np.array([[one] for _, one in items]))
    arrays = lists.arrays(5)
    for owner in range(5):
        count = int(arrays.spans[owner, 1])
        found = [int(item_of(arrays, owner, place)) for place in range(count)]
        assert found == [one for of, one in items if of == owner]
