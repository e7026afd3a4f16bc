import json
import pickle

from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import EventError
from tocsin.model.dead_letter import RAW_LIMIT, DeadLetter, RowRefused, show_row
from tocsin.model.values import Timestamp


def test_a_long_row_is_cut() -> None:
    letter = DeadLetter(0, "too long", "x" * 5000, "too_large")
    assert len(letter.raw) == RAW_LIMIT
    assert letter.raw.endswith("x…")


@given(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))
def test_a_dead_letter_can_always_be_written_down(reason: str, raw: str) -> None:
    letter = DeadLetter(3, reason, raw, "bad_json")
    assert json.dumps(letter.to_dict(), ensure_ascii=False).encode("utf-8")


def test_a_dead_letter_is_shown_with_its_kind_before_its_reason() -> None:
    letter = DeadLetter(1, "late: …", "{}", "late")
    assert letter.to_dict() == {"row": 1, "kind": "late", "reason": "late: …", "raw": "{}"}


def test_rows_are_shown_as_json_with_readable_times() -> None:
    row = {"ts": Timestamp(0), "tags": ["ä", {1}], "big": None}
    assert show_row(row) == '{"ts": "1970-01-01T00:00:00Z", "tags": ["ä", [1]], "big": null}'


def test_rows_that_json_cannot_hold_are_shown_all_the_same() -> None:
    circle: list[object] = []
    circle.append(circle)
    assert "[...]" in show_row({"x": circle})
    assert show_row({(1, 2): 3}) == "{(1, 2): 3}"
    assert show_row({"x": 10**5000}) == "<dict that cannot be shown>"


def test_a_refusal_survives_pickling() -> None:
    refused = pickle.loads(pickle.dumps(RowRefused("late", "late: …")))
    assert isinstance(refused, EventError)
    assert (refused.kind, str(refused)) == ("late", "late: …")
    assert refused.letter(4, "{}") == DeadLetter(4, "late: …", "{}", "late")
