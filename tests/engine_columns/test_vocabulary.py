"""Numbers for names, and strings that are forgotten."""

import pickle
from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine.columns import Vocabulary, arrow_texts
from tocsin.engine.columns.arrow_texts import ArrowTexts

TEXTS = st.lists(st.sampled_from(["a", "A", "bc", "Bc", "ß", "SS", "ä", ""]), unique=True)


def known_of(words: Vocabulary, code: int) -> tuple[bytes, tuple[str | int, ...]]:
    """Return the bytes of a string and its forms, as the arrays tell them."""
    texts = words.text_arrays()
    start, end = texts.first_byte[code], texts.end_byte[code]
    forms = (int(texts.lower[code]), int(texts.upper[code]))
    shown = tuple(words.text(form) if form >= 0 else form for form in forms)
    return bytes(texts.utf8[start:end]), (*shown, int(texts.length[code]))


@given(TEXTS, st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)), st.booleans(), TEXTS)
def test_what_is_kept_says_the_same_and_what_comes_takes_the_free_codes(
    texts: list[str], kept: set[int], folded: set[int], stored: bool, later: list[str]
) -> None:
    words = Vocabulary()
    words.codes(texts)
    words.fold(code for code in folded if code < len(texts))
    if stored:
        words.text_arrays()
    before = [(words.text(code), known_of(words, code)) for code in range(words.size)]
    codes = np.array([code for code in kept if code < words.size], np.int64)
    free = words.forget_except(codes)
    assert not set(free.tolist()) & set(codes.tolist())
    if stored:
        words.text_arrays()
    words.codes(later)
    assert sorted(words.code_of_string.values()) == sorted(set(words.code_of_string.values()))
    assert words.size <= max(len(before), len(words.code_of_string))
    for text, code in words.code_of_string.items():
        assert words.text(code) == text
        assert known_of(words, code)[0] == text.encode()
    for code, (text, known) in enumerate(before):
        if code not in free:
            assert words.code(text) == code
            assert known_of(words, code) == known


def test_what_nobody_folded_goes_alone() -> None:
    words = Vocabulary()
    words.codes(["Bc", "bc", "BC"])
    assert words.forget_except(np.array([0])).tolist() == [1, 2]
    words.fold([0])
    assert words.size == 3


def test_forms_stay_with_a_folded_string() -> None:
    words = Vocabulary()
    words.codes(["x", "Bc"])
    words.fold([1])
    assert words.forget_except(np.array([1])).tolist() == [0]


def test_free_codes_are_given_out_first_and_counted() -> None:
    words = Vocabulary()
    words.codes(["a", "b", "c"])
    words.forget_except(np.array([1]))
    assert (words.code("b"), words.code("x"), words.code("y"), words.size) == (1, 0, 2, 3)
    assert words.given == 5


def test_what_codes_meant_can_be_read_when_they_mean_something_else() -> None:
    words = Vocabulary()
    words.codes(["a", "b"])
    then = words.words()
    words.forget_except(np.array([1]))
    assert words.code("x") == 0
    assert (then.text(0), then.text(1), words.words().text(0)) == ("a", "b", "x")


def test_attributes_are_not_forgotten() -> None:
    words = Vocabulary()
    price = words.attribute("price")
    words.forget_except(np.array([], np.int64))
    assert words.attribute("price") == price
    assert words.size == 0


def test_a_vocabulary_survives_a_snapshot() -> None:
    words = Vocabulary()
    words.codes(["a", "b"])
    again = pickle.loads(pickle.dumps(words))
    assert (again.code("b"), again.code("c"), again.text(2), again.size) == (1, 2, "c", 3)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ip", "user"]),
            st.lists(st.sampled_from([f"t{n}" for n in range(12)] + ["ß", ""]), unique=True),
            st.sampled_from([pa.string(), pa.large_string()]),
            st.one_of(st.none(), st.sets(st.integers(0, 7))),
        )
    )
)
def test_texts_of_arrow_get_the_codes_that_they_get_one_by_one(
    steps: list[tuple[str, list[str], pa.DataType, set[int] | None]],
) -> None:
    by_column, one_by_one = Vocabulary(), Vocabulary()
    for column, texts, of, kept in steps:
        with patch.object(arrow_texts, "_PAUSE", 1):
            found = by_column.codes(ArrowTexts(column, pa.array(texts, of)))
        assert found.tolist() == one_by_one.codes(texts).tolist()
        if kept is not None:
            codes = np.array([code for code in kept if code < by_column.size], np.int64)
            known = np.array([code for code in codes if by_column.text(code) in texts], np.int64)
            assert by_column.forget_except(known).tolist() == (
                one_by_one.forget_except(known).tolist()
            )


def test_a_pickled_vocabulary_does_without_the_texts_that_came_last() -> None:
    words = Vocabulary()
    words.codes(ArrowTexts("ip", pa.array(["a", "b"])))
    again = pickle.loads(pickle.dumps(words))
    assert again.codes(ArrowTexts("ip", pa.array(["b", "c"]))).tolist() == [1, 2]


def test_texts_are_looked_for_again_after_a_pause() -> None:
    recent, asked = arrow_texts.RecentTexts(), list[list[str]]()

    def code(texts: Sequence[str]) -> arrow_texts.Int64Array:
        asked.append(list(texts))
        return np.array([ord(text) for text in texts])

    with patch.object(arrow_texts, "_PAUSE", 1):
        for texts in ("ab", "cd", "ab", "ab", "ba"):
            found = recent.codes(ArrowTexts("ip", pa.array(list(texts))), code)
            assert found.tolist() == [ord(text) for text in texts]
    assert asked == [["a", "b"], ["c", "d"], ["a", "b"], ["a", "b"]]  # the last are known again


def test_texts_of_a_slice_keep_nothing_but_themselves() -> None:
    words, whole = Vocabulary(), pa.array([f"text {n}" for n in range(10_000)])
    before = pa.total_allocated_bytes()
    words.codes(ArrowTexts("ip", whole[:10]))
    held = pa.total_allocated_bytes() - before
    del whole
    assert 0 < held < 1_000
    assert words.codes(ArrowTexts("ip", pa.array(["text 9", "text 0"]))).tolist() == [9, 0]
