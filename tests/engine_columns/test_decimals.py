"""Decimals by column are what they are value by value."""

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tocsin.engine.columns.decimals import read_decimals
from tocsin.engine.columns.decode import values_of
from tocsin.engine.columns.words import Words
from tocsin.errors import EventError
from tocsin.model.dead_letter import RowRefused
from tocsin.model.normalise import normalise

REFUSED = "refused"


def by_value(cell: Decimal | None) -> object:
    try:
        return normalise("d", cell)
    except RowRefused:
        return REFUSED


@st.composite
def columns(draw: st.DrawFn) -> pa.Array:
    """Numbers of any scale; many of them are whole, or a float equals them."""
    scale = draw(st.integers(0, 38))
    some = st.integers(-(2**70), 2**70) | st.integers(-20, 20)
    units = st.sampled_from([1, 5**scale, 10**scale, 2**scale])
    whole = st.builds(lambda n, by: n * by, some, units).filter(lambda n: abs(n) < 10**38)
    cells = st.none() | whole.map(lambda n: Decimal(n).scaleb(-scale))
    return pa.array(draw(st.lists(cells, max_size=8)), pa.decimal128(38, scale))


@given(columns(), st.integers(0, 3))
@example(pa.array([Decimal(-(2**63)), Decimal(2**63), Decimal(2**64 - 1)]), 0)
@example(pa.array([Decimal("0.1"), Decimal("-0.5"), None, Decimal("3.0")]), 1)
def test_a_decimal_is_what_its_value_is(array: pa.Array, skipped: int) -> None:
    array = array[skipped:]
    cells = array.to_pylist()
    try:
        column = read_decimals("d", array)
    except EventError:
        assert any(cell is not None and abs(cell) * 2**array.type.scale >= 2**64 for cell in cells)
        return
    found: list[object] = list(values_of(column.kinds(), column.bits, Words((), ())))
    assert column.broken is not None
    for place in column.broken.nonzero()[0].tolist():
        assert found[place] is None
        found[place] = REFUSED
    wanted = list(map(by_value, cells))
    assert [(type(one), one) for one in found] == [(type(one), one) for one in wanted]


@pytest.mark.parametrize("kind", [pa.decimal128(5, -2), pa.decimal256(40, 1)], ids=str)
def test_what_is_not_read_by_column_is_told(kind: pa.DataType) -> None:
    with pytest.raises(EventError, match="goes value by value"):
        read_decimals("d", pa.array([Decimal(100)], kind))
