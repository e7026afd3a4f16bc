from typing import Any

import numpy as np
import pandas as pd
import pytest

from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.event import Event
from tocsin.model.read import frame as frame_module
from tocsin.model.read import rows_of
from tocsin.model.rows import Intake
from tocsin.model.values import Timestamp, Value

SECONDS = pd.to_datetime([1, 2], unit="s")


def rows(frame: Any) -> list[Any]:
    return [row for _, row in rows_of(frame)]


def values(column: Any) -> list[Value]:
    """What an intake makes of one column, None for missing."""
    intake = Intake({}, default_stream="s")
    steps = [intake.accept(*row) for row in rows_of(pd.DataFrame({"x": column}))]
    assert all(isinstance(step, Event) for step in steps)
    return [step.values.get("x") for step in steps if isinstance(step, Event)]


def test_a_frame_gives_rows() -> None:
    frame = pd.DataFrame({"ts": SECONDS, "ip": ["a", None]})
    assert rows(frame) == [
        {"ts": Timestamp(1_000_000), "ip": "a"},
        {"ts": Timestamp(2_000_000), "ip": None},
    ]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([1, 2], [1, 2]),
        ([1.5, np.nan], [1.5, None]),
        (["a", np.nan], ["a", None]),
        ([1, "a"], [1, "a"]),
        ([1, 2.5, None], [1.0, 2.5, None]),
        ([True, None], [True, None]),
        (pd.array([1, None], dtype="Int64"), [1, None]),
        (pd.array(["a", None], dtype="string"), ["a", None]),
        (pd.Categorical(["a", "b", None]), ["a", "b", None]),
        (
            SECONDS.tz_localize("Europe/Paris"),
            [Timestamp(-3_599_000_000), Timestamp(-3_598_000_000)],
        ),
        ([pd.Timestamp(0), pd.NaT], [Timestamp(0), None]),
        (pd.arrays.SparseArray([1, 1, 2]), [1, 1, 2]),
    ],
)
def test_columns_of_every_dtype_become_values(column: Any, expected: list[Value]) -> None:
    assert values(column) == expected


def test_objects_that_no_event_carries_are_left_to_the_intake() -> None:
    frame = pd.DataFrame({"x": [[1, 2], {"fuzzy": 1}, b"y"]})
    intake = Intake({}, default_stream="s")
    kinds = [getattr(intake.accept(*row), "kind", None) for row in rows_of(frame)]
    assert kinds == [None, "fuzzy", "bad_type"]


def test_times_finer_than_a_microsecond_are_dead_letters() -> None:
    [row] = rows(pd.DataFrame({"ts": pd.to_datetime([1], unit="ns")}))
    assert isinstance(row, DeadLetter)
    assert row.kind == "bad_time"
    assert ".dt.floor('us')" in row.reason
    assert row.raw == '{"ts": "1970-01-01T00:00:00.000000001Z"}'


def test_periods_are_dead_letters() -> None:
    [row] = rows(pd.DataFrame({"x": pd.period_range("2024", periods=1, freq="M")}))
    assert isinstance(row, DeadLetter)


def test_an_index_with_a_name_is_a_column() -> None:
    frame = pd.DataFrame({"x": [1, 2]}, index=pd.Index(SECONDS, name="ts"))
    assert rows(frame)[1] == {"ts": Timestamp(2_000_000), "x": 2}


def test_an_index_that_is_a_column_already_is_taken_once() -> None:
    frame = pd.DataFrame({"ts": SECONDS}).set_index("ts", drop=False)
    assert rows(frame)[0] == {"ts": Timestamp(1_000_000)}


def test_an_index_without_a_name_is_left_out() -> None:
    assert rows(pd.DataFrame({"x": [1, 2, 3]})[1:]) == [{"x": 2}, {"x": 3}]


def test_times_in_an_index_without_a_name_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"set frame\.index\.name = 'ts'"):
        rows_of(pd.DataFrame({"x": [1, 2]}, index=SECONDS))


def test_columns_need_one_string_each_for_a_name() -> None:
    with pytest.raises(ConfigurationError, match="a column named 0; give it a string"):
        rows_of(pd.DataFrame([[1, 2]]))
    with pytest.raises(ConfigurationError, match="the DataFrame has two columns named 'x'"):
        rows_of(pd.DataFrame([[1, 2]], columns=["x", "x"]))


def test_rows_are_numbered_through_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_module, "BATCH_ROWS", 2)
    calls: list[tuple[int, int | None]] = []
    found = list(rows_of(pd.DataFrame({"x": range(5)}), progress=lambda *at: calls.append(at)))
    assert found == [(i, {"x": i}) for i in range(5)]
    assert calls == [(5, 5)]


def test_an_empty_frame_has_no_rows() -> None:
    assert rows(pd.DataFrame()) == []
