import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tocsin.model.dead_letter import DeadLetter
from tocsin.model.read.jsonl import read_jsonl
from tocsin.model.read.source import Row


def rows(content: bytes, **options: int) -> list[Row]:
    return list(read_jsonl(io.BytesIO(content), **options))


def only_letter(content: bytes, **options: int) -> DeadLetter:
    [(number, letter)] = rows(content, **options)
    assert isinstance(letter, DeadLetter)
    assert letter.row == number == 0
    return letter


def test_each_line_is_a_row() -> None:
    assert rows(b'{"x": 1}\n{"x": null, "y": "\xc3\xa4"}') == [
        (0, {"x": 1}),
        (1, {"x": None, "y": "ä"}),
    ]


def test_blank_lines_are_skipped_and_not_counted() -> None:
    assert rows(b'\n{"x": 1}\r\n  \t\n\r\n{"x": 2}\n\n') == [(0, {"x": 1}), (1, {"x": 2})]


def test_a_byte_order_mark_is_skipped_at_the_start_only() -> None:
    found = rows(b'\xef\xbb\xbf{"x": 1}\n\xef\xbb\xbf{"x": 1}\n')
    assert found[0] == (0, {"x": 1})
    assert isinstance(found[1][1], DeadLetter)


def test_only_line_feeds_end_a_line() -> None:
    line = json.dumps({"x": "a\u2028b\x85c"}, ensure_ascii=False).encode()
    assert rows(line) == [(0, {"x": "a\u2028b\x85c"})]


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        (b'{"x": 1', "bad_json", "line 1: not JSON: Expecting ',' delimiter at column 8"),
        (b'{"x": 1} {"x": 2}', "bad_json", "line 1: not JSON: Extra data at column 10"),
        (b'{"x": NaN}', "bad_json", "line 1: not JSON: NaN is no number; leave the value out"),
        (b'{"x": -Infinity}', "bad_json", "-Infinity is no number"),
        (b'{"x": ' + b"9" * 5000 + b"}", "bad_json", "Exceeds the limit"),
        (b'{"x":' + b"[" * 200_000 + b"}", "bad_json", "nested too deep"),
        (b"[", "bad_json", "a list of events wants one object a line instead: jq -c '.[]'"),
        (b'[{"x": 1}]', "not_an_object", '[{"x": 1}] is not an object; a list of events'),
        (b"5", "not_an_object", "line 1: 5 is not an object; write one such as"),
        (b"null", "not_an_object", "line 1: null is not an object"),
        (b'{"x": 1, "y": 2, "x": 3}', "duplicate_key", "line 1: the key 'x' stands there twice"),
        (b'{"a": {"x": 1, "x": 3}}', "duplicate_key", "line 1: the key 'x' stands there twice"),
        (b'{"x": "\xff"}', "bad_encoding", "not UTF-8: invalid start byte at byte 8"),
        (b"\x00", "bad_json", "line 1: not JSON"),
    ],
)
def test_a_line_that_is_no_row_is_a_dead_letter(line: bytes, kind: str, reason: str) -> None:
    letter = only_letter(line)
    assert letter.kind == kind
    assert reason in letter.reason


def test_a_dead_letter_keeps_its_number_and_names_its_line() -> None:
    found = rows(b'{"x": 1}\n\noops\n{"x": 2}\n')
    assert [number for number, _ in found] == [0, 1, 2]
    assert found[1][1] == DeadLetter(
        1, "line 3: not JSON: Expecting value at column 1", "oops", "bad_json"
    )


def test_a_line_over_the_limit_is_a_dead_letter_and_the_next_is_read() -> None:
    long = b'{"x": "' + b"a" * 200_000 + b'"}\n'
    found = rows(long + b'{"x": 1}\n' + long.rstrip(), limit=100)
    assert found[1] == (1, {"x": 1})
    for number in (0, 2):
        letter = found[number][1]
        assert isinstance(letter, DeadLetter)
        assert letter.kind == "too_large"
        assert letter.raw.startswith('{"x": "aaa')


def test_a_line_of_exactly_the_limit_is_read() -> None:
    line = b'{"x": 1}'
    assert rows(line + b"\n" + line, limit=len(line)) == [(0, {"x": 1}), (1, {"x": 1})]
    assert only_letter(line, limit=len(line) - 1).kind == "too_large"


PIECES = st.sampled_from(
    [b'{"x": 1}', b"{}", b"[", b"\n", b"\r", b" ", b"\xff", b'"', b"\xef\xbb\xbf"]
)


@given(st.lists(PIECES | st.binary(max_size=6), max_size=12).map(b"".join), st.integers(1, 12))
@example(b"\xef\xbb\xbf\n", 1)
def test_of_any_bytes_every_line_that_is_not_blank_is_one_row(content: bytes, limit: int) -> None:
    lines = content.split(b"\n")
    is_long = [len(line) > limit for line in lines]
    lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
    count = sum(bool(line.strip()) or long for line, long in zip(lines, is_long, strict=True))
    found = rows(content, limit=limit)
    assert [number for number, _ in found] == list(range(count))
    assert all(isinstance(row, dict | DeadLetter) for _, row in found)
