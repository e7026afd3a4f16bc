import json
import sys
from collections.abc import Sequence
from typing import overload

import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notification, Notifications
from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.model.times import TimeForm
from tocsin.model.values import Duration, Timestamp, Value

SECOND = Timestamp(1_000_000)
LATE = DeadLetter(3, "late: …", "{}", "late")
BROKEN = DeadLetter(4, "not JSON", "{", "bad_json")


def made(
    name: str = "intrusion",
    position: int | None = 2,
    emit: dict[str, Value] | None = None,
    degree: tuple[float, float] = (1.0, 1.0),
) -> Notification:
    return Notification(
        name,
        "match",
        Timestamp(3_000_000),
        position,
        SECOND,
        Timestamp(2_000_000),
        {"d": (0, 1), "s": (2,), "x": ()},
        {"ip": "10.0.0.1", "user": None},
        {} if emit is None else emit,
        *degree,
    )


def test_a_notification_is_shown_in_its_order() -> None:
    emit: dict[str, Value] = {"first": SECOND, "took": Duration(1_500), "n": 2, "none": None}
    assert list(made(emit=emit).to_dict(TimeForm.MILLISECONDS).items()) == [
        ("subscription", "intrusion"),
        ("kind", "match"),
        ("at", 3000),
        ("position", 2),
        ("begin", 1000),
        ("end", 2000),
        ("events", {"d": [0, 1], "s": [2], "x": []}),
        ("variables", {"ip": "10.0.0.1", "user": None}),
        ("emit", {"first": 1000, "took": 1.5, "n": 2, "none": None}),
        ("possibility", 1.0),
        ("necessity", 1.0),
    ]


def test_times_are_iso_by_default() -> None:
    shown = made(emit={"first": SECOND}).to_dict()
    assert shown["at"] == "1970-01-01T00:00:03Z"
    assert shown["emit"] == {"first": "1970-01-01T00:00:01Z"}


def test_every_line_is_strict_json() -> None:
    emit: dict[str, Value] = {"up": float("inf"), "down": float("-inf"), "nan": float("nan")}
    text = Notifications([made(emit=emit), made("ä")]).to_json_lines()
    first, second = text.splitlines()
    assert text.endswith("\n")
    assert json.loads(first)["emit"] == {"up": "Infinity", "down": "-Infinity", "nan": None}
    assert '"subscription": "ä"' in second
    assert Notifications().to_json_lines() == ""


def test_they_are_a_sequence() -> None:
    one, two = made("a"), made("b")
    found = Notifications([one, two], dead_letters=[LATE], form=TimeForm.MILLISECONDS)
    assert len(found) == 2
    assert list(found) == [one, two]
    assert found[-1] == two
    assert found.index(two) == 1
    assert one in found
    assert found.to_dicts() == [item.to_dict(TimeForm.MILLISECONDS) for item in (one, two)]


def test_a_slice_is_one_of_them_and_keeps_the_dead_letters() -> None:
    found = Notifications([made("a"), made("b")], dead_letters=[LATE], form=TimeForm.MILLISECONDS)
    part = found[1:]
    assert part == Notifications([made("b")], dead_letters=[LATE])
    assert part.form is TimeForm.MILLISECONDS


def test_equal_content_is_equal() -> None:
    assert Notifications([made()]) == Notifications([made()])
    assert Notifications([made()]) != Notifications([made("b")])
    assert Notifications([made()]) != Notifications([made()], dead_letters=[LATE])
    assert Notifications() != []
    with pytest.raises(TypeError):
        hash(Notifications())


def test_late_rows_are_counted() -> None:
    assert Notifications(dead_letters=[LATE, BROKEN, LATE]).late == 2
    assert Notifications(dead_letters=[LATE, BROKEN]).dead_letters == (LATE, BROKEN)


class Lazy(Sequence[Notification]):
    """Makes notifications when asked, and counts how often."""

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers
        self.made: list[int] = []

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Notification: ...

    @overload
    def __getitem__(self, index: slice) -> "Lazy": ...

    def __getitem__(self, index: int | slice) -> "Notification | Lazy":
        if isinstance(index, slice):
            part = Lazy(self.numbers[index])
            part.made = self.made
            return part
        self.made.append(self.numbers[index])
        return made(position=self.numbers[index])


class LazyTable(Lazy):
    def to_arrow(self, form: TimeForm) -> pa.Table:
        return Notifications([*Lazy(self.numbers)], form=form).to_arrow()


class TestMadeWhenAsked:
    def test_counting_and_slicing_make_none(self) -> None:
        lazy = Lazy(range(1_000_000))
        found = Notifications(lazy, form=TimeForm.MILLISECONDS)
        assert len(found) == 1_000_000
        assert len(found[10:]) == 999_990
        assert len(Notifications(found)) == 1_000_000
        assert lazy.made == []
        assert found[5:][2].position == 7
        assert lazy.made == [7]

    def test_showing_makes_those_that_are_shown(self) -> None:
        lazy = Lazy(range(1_000))
        found = Notifications(lazy)
        assert repr(found).endswith("… and 980 more")
        assert "… and 980 more" in found._repr_html_()
        assert lazy.made == [*range(20)] * 2

    def test_they_equal_those_made_before(self) -> None:
        lazy, before = Notifications(Lazy(range(3))), Notifications([*Lazy(range(3))])
        assert lazy == before
        assert lazy != Notifications(Lazy(range(1, 4)))
        assert lazy != before[:2]
        assert lazy.to_dicts() == before.to_dicts()
        assert lazy.to_arrow() == before.to_arrow()

    def test_a_content_that_makes_its_own_table_is_asked_for_it(self) -> None:
        lazy, before = LazyTable(range(3)), [*Lazy(range(3))]
        found = Notifications(lazy, form=TimeForm.MILLISECONDS)
        assert found.to_arrow() == Notifications(before).to_arrow()
        assert_frame_equal(found.to_pandas(), Notifications(before).to_pandas())
        assert lazy.made == []
        assert found.to_arrow(typed=True) == Notifications(before).to_arrow(typed=True)

    def test_a_list_may_change_afterwards(self) -> None:
        items = [made()]
        found = Notifications(items)
        items.clear()
        assert len(found) == 1


class TestShown:
    def test_at_a_prompt(self) -> None:
        found = Notifications(
            [
                made(emit={"first": SECOND, "n": 2}),
                made("quiet", None, degree=(0.5, 0.25)),
            ],
            dead_letters=[LATE],
            form=TimeForm.MILLISECONDS,
        )
        assert repr(found) == (
            "2 notifications, 1 dead letter\n"
            '  intrusion  at 3000  position 2  d=[0, 1] s=2 x=[]  $ip="10.0.0.1" $user=null'
            "  {first: 1000, n: 2}\n"
            '  quiet  at 3000  the clock  d=[0, 1] s=2 x=[]  $ip="10.0.0.1" $user=null'
            "  degree (0.5, 0.25)"
        )

    def test_many_are_cut(self) -> None:
        found = Notifications([made()] * 50)
        assert repr(found).endswith("\n  … and 30 more")
        assert len(repr(found).splitlines()) == 22
        assert "… and 30 more" in found._repr_html_()

    def test_in_a_notebook_everything_is_escaped(self) -> None:
        found = Notifications([made("<b>", emit={"x": "<script>"})], dead_letters=[LATE, BROKEN])
        shown = found._repr_html_()
        assert "<script>" not in shown
        assert "&lt;b&gt;" in shown
        assert "1 notification, 2 dead letters" in shown
        assert "possibility" not in shown

    def test_in_a_notebook_degrees_are_shown_where_there_are_any(self) -> None:
        assert "possibility" in Notifications([made(degree=(0.5, 0.5))])._repr_html_()

    def test_none_in_a_notebook_is_a_line(self) -> None:
        assert Notifications()._repr_html_() == "<div><p>0 notifications</p></div>"


class TestArrow:
    def test_the_schema_is_fixed(self) -> None:
        assert Notifications().to_arrow().schema == NOTIFICATION_SCHEMA
        assert Notifications([made()]).to_arrow().schema == NOTIFICATION_SCHEMA

    def test_a_row_holds_all_of_a_notification(self) -> None:
        emit: dict[str, Value] = {"first": SECOND, "n": 2, "s": "x", "none": None}
        found = Notifications([made(position=None, emit=emit)], form=TimeForm.MILLISECONDS)
        [row] = found.to_arrow().to_pylist()
        assert row["at"] == pd.Timestamp("1970-01-01T00:00:03Z")
        assert row["position"] is None
        assert row["events"] == [("d", [0, 1]), ("s", [2]), ("x", [])]
        assert row["variables"] == [("ip", '"10.0.0.1"'), ("user", None)]
        assert row["emit"] == [("first", "1000"), ("n", "2"), ("s", '"x"'), ("none", None)]
        assert (row["possibility"], row["necessity"]) == (1.0, 1.0)

    def test_typed_fields_get_columns_of_their_own(self) -> None:
        emits: list[dict[str, Value]] = [
            {"t": SECOND, "d": Duration(5), "n": 2**60, "f": 1, "s": "x", "b": True, "m": 1},
            {"t": None, "d": None, "n": None, "f": 1.5, "s": None, "b": None, "m": "x"},
        ]
        table = Notifications([made(emit=emit) for emit in emits]).to_arrow(typed=True)
        kinds = {name: table.schema.field(f"emit.{name}").type for name in emits[0]}
        assert kinds == {
            "t": pa.timestamp("us", tz="UTC"),
            "d": pa.duration("us"),
            "n": pa.int64(),
            "f": pa.float64(),
            "s": pa.string(),
            "b": pa.bool_(),
            "m": pa.string(),
        }
        assert table["emit.n"].to_pylist() == [2**60, None]
        assert table["emit.f"].to_pylist() == [1.0, 1.5]
        assert table["emit.m"].to_pylist() == ["1", '"x"']
        assert table["variables.ip"].to_pylist() == ["10.0.0.1"] * 2
        assert table["variables.user"].type == pa.null()
        assert "emit" not in table.column_names

    def test_typed_asks_for_one_subscription(self) -> None:
        with pytest.raises(ConfigurationError, match="such as 'a' and 'b'; keep those of one"):
            Notifications([made("a"), made("b")]).to_arrow(typed=True)

    def test_typed_of_none_has_the_fixed_columns(self) -> None:
        names = Notifications().to_arrow(typed=True).column_names
        assert names[:2] == ["subscription", "kind"]
        assert "emit" not in names


class TestPandas:
    def test_a_frame_holds_dicts_and_whole_positions(self) -> None:
        found = Notifications([made(emit={"t": SECOND}), made(position=None)])
        frame = found.to_pandas()
        assert frame["position"].dtype == "Int64"
        assert frame["position"].tolist() == [2, pd.NA]
        assert frame["events"][0] == {"d": [0, 1], "s": [2], "x": []}
        assert frame["emit"].tolist() == [{"t": "1970-01-01T00:00:01Z"}, {}]
        assert frame["at"][0] == pd.Timestamp("1970-01-01T00:00:03Z")

    def test_its_dicts_are_those_of_to_dicts(self) -> None:
        emits: list[dict[str, Value]] = [
            {"t": SECOND, "d": Duration(1_500), "n": 2**60, "f": -1.5e300, "s": '"x"', "b": True},
            {"t": None, "d": Duration(5_000), "f": float("nan"), "s": "ä", "b": False},
            {"f": float("inf"), "n": 0},
        ]
        for form in TimeForm:
            found = Notifications([made(emit=emit) for emit in emits], form=form)
            frame = found.to_pandas()
            for name in ("events", "variables", "emit"):
                assert frame[name].tolist() == [row[name] for row in found.to_dicts()]
            assert [list(map(type, row.values())) for row in frame["emit"]] == [
                list(map(type, row["emit"].values())) for row in found.to_dicts()
            ]
            assert list(frame.columns) == NOTIFICATION_SCHEMA.names

    def test_typed_fields_are_columns(self) -> None:
        frame = Notifications([made(emit={"t": SECOND, "n": 1})]).to_pandas(typed=True)
        assert frame["emit.t"][0] == pd.Timestamp("1970-01-01T00:00:01Z")
        assert frame["emit.n"].dtype == "Int64"

    def test_none_is_an_empty_frame(self) -> None:
        assert Notifications().to_pandas().shape == (0, 11)

    def test_without_pandas_the_message_names_the_extra(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(ConfigurationError, match=r"pip install 'tocsin\[pandas\]'"):
            Notifications().to_pandas()
