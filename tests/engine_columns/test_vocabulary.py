"""Numbers for names, and strings that are forgotten."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine.columns import Vocabulary

TEXTS = st.lists(st.sampled_from(["a", "A", "bc", "Bc", "ß", "SS", "ä", ""]), unique=True)


def known_of(words: Vocabulary, code: int) -> tuple[bytes, tuple[str | int, ...]]:
    """Return the bytes of a string and its forms, as the arrays tell them."""
    texts = words.text_arrays()
    start, end = texts.first_byte[code], texts.first_byte[code + 1]
    forms = (int(texts.lower[code]), int(texts.upper[code]))
    shown = tuple(words.text(form) if form >= 0 else form for form in forms)
    return bytes(texts.utf8[start:end]), (*shown, int(texts.length[code]))


@given(TEXTS, st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)), st.booleans())
def test_what_is_kept_says_the_same_under_its_new_code(
    texts: list[str], kept: set[int], folded: set[int], stored: bool
) -> None:
    words = Vocabulary()
    words.codes(texts)
    words.fold(code for code in folded if code < len(texts))
    if stored:
        words.text_arrays()
    before = [(words.text(code), known_of(words, code)) for code in range(words.size)]
    codes = np.array([code for code in kept if code < words.size], np.int64)
    new_of_old = words.forget_except(codes)
    assert (new_of_old[codes] >= 0).all()
    assert sorted(new_of_old[new_of_old >= 0].tolist()) == list(range(words.size))
    for old, (text, known) in enumerate(before):
        if new_of_old[old] >= 0:
            assert words.text(new_of_old[old]) == text
            assert words.code(text) == new_of_old[old]
            assert known_of(words, new_of_old[old]) == known


def test_what_nobody_folded_goes_alone() -> None:
    words = Vocabulary()
    words.codes(["Bc", "bc", "BC"])
    assert words.forget_except(np.array([0])).tolist() == [0, -1, -1]
    words.fold([0])
    assert words.size == 3


def test_forms_stay_with_a_folded_string() -> None:
    words = Vocabulary()
    words.codes(["x", "Bc"])
    words.fold([1])
    assert words.forget_except(np.array([1])).tolist() == [-1, 0, 1, 2]


def test_a_forgotten_string_gets_the_next_code() -> None:
    words = Vocabulary()
    words.codes(["a", "b"])
    words.forget_except(np.array([1]))
    assert (words.code("b"), words.code("a"), words.size) == (0, 1, 2)


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
