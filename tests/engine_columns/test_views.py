"""Views of texts are read as texts, by column and by row."""

from typing import Any

import pyarrow as pa
import pytest

import tocsin
from tocsin.engine import Engine

SAME = "SUBSCRIBE s MATCH a:[k = $x] -> b:[k = $x AND v = 1]"
KEYS = [f"key {n % 1_500}" for n in range(3_000)]


def coded(texts: Any) -> Any:
    """Return texts as places in a dictionary of views."""
    found = pa.array(texts).dictionary_encode()
    return pa.DictionaryArray.from_arrays(found.indices, found.dictionary.cast(pa.string_view()))


@pytest.mark.parametrize("as_views", [lambda texts: pa.array(texts, pa.string_view()), coded])
@pytest.mark.parametrize("table", [pa.table, pa.record_batch])
def test_tables_of_views_are_those_of_their_texts(as_views: Any, table: Any) -> None:
    engine, plain = Engine(SAME), Engine(SAME)
    for begin in (0, 10_000, 20_000):
        times = [begin + n for n in range(len(KEYS))]
        times[7] = begin - 1  # late
        rows = {"ts": times, "v": [n // 1_500 for n in range(len(KEYS))]}
        found = engine.process(table({**rows, "k": as_views(KEYS)}))
        wanted = plain.process(table({**rows, "k": pa.array(KEYS)}))
        assert found.to_arrow().equals(wanted.to_arrow())
        assert len(found) >= 1_499
        assert found.dead_letters == wanted.dead_letters
        assert len(found.dead_letters) == 1


@pytest.mark.parametrize("as_views", [lambda texts: pa.array(texts, pa.string_view()), coded])
def test_a_parameter_table_may_have_views(as_views: Any) -> None:
    table = pa.table({"id": as_views(["x", "y"]), "key": as_views(["key 0", "key 1"])})
    text = "SUBSCRIBE s_{id} MATCH a:[k = {key}]"
    found = tocsin.match([{"ts": 0, "k": "key 1"}], text, table=table)
    assert [one.subscription for one in found] == ["s_y"]
