import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.event import Schema
from tocsin.model.read.csv import read_csv
from tocsin.model.read.source import Row
from tocsin.model.rows import Intake
from tocsin.model.values import Kind, Timestamp

DECLARED = Schema(
    {
        "ts": Kind.TIMESTAMP,
        "s": Kind.STRING,
        "i": Kind.INTEGER,
        "f": Kind.FLOAT,
        "b": Kind.BOOLEAN,
    },
    "ts",
)


def rows(content: bytes, schema: Schema | None = None, delimiter: str | None = None) -> list[Row]:
    return list(read_csv(io.BytesIO(content), name="e.csv", schema=schema, delimiter=delimiter))


def cell(text: str, name: str = "x", schema: Schema | None = None) -> object:
    [(_, row)] = rows(f'{name},other\n"{text}",1\n'.encode(), schema)
    assert not isinstance(row, DeadLetter)
    return row[name]


def letters(content: bytes) -> list[DeadLetter]:
    return [row for _, row in rows(content) if isinstance(row, DeadLetter)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        ("true", True),
        ("False", False),
        ("007", "007"),
        ("+49", "+49"),
        (" 5", " 5"),
        ("1_000", "1_000"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("10.0.0.1", "10.0.0.1"),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", "9223372036854775808"),
        ("9" * 5000, "9" * 5000),
        ("\u0661", "\u0661"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
    ],
)
def test_undeclared_cells_are_numbers_only_where_json_says_so(text: str, value: object) -> None:
    found = cell(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("s", "12", "12"),
        ("s", "", None),
        ("i", "007", 7),
        ("i", "3.0", 3.0),
        ("i", "three", "three"),
        ("i", "9" * 5000, "9" * 5000),
        ("f", "2", 2),
        ("f", "inf", float("inf")),
        ("f", "1_0", "1_0"),
        ("f", "", None),
        ("b", "TRUE", True),
        ("b", "1", "1"),
        ("ts", "1000", 1000),
        ("ts", "1970-01-01", "1970-01-01"),
        ("ts", "", None),
        ("$clock", "5", 5),
        ("$stream", "5", "5"),
    ],
)
def test_declared_cells_are_read_as_their_type(name: str, text: str, value: object) -> None:
    found = cell(text, name, DECLARED)
    assert found == value
    assert type(found) is type(value)


def test_the_rows_go_on_to_the_intake() -> None:
    intake = Intake({"s": DECLARED}, default_stream="s")
    content = b"ts,i,f,$clock\n1000,3.0,2,\n,,,2000\n3000,many,,\n"
    steps = [intake.accept(*row) for row in rows(content, DECLARED)]
    assert steps[0].values == {"ts": Timestamp(1_000_000), "i": 3, "f": 2.0}  # type: ignore[union-attr]
    assert steps[1].moment == 2_000_000  # type: ignore[union-attr]
    assert steps[2].reason == (  # type: ignore[union-attr]
        "attribute 'i': 'many' is STRING, but INTEGER is declared"
    )


def test_blank_lines_and_the_header_are_no_rows() -> None:
    found = rows(b"\xef\xbb\xbf\r\na,b\r\n\r\n1,2\r\n\r\n3,4")
    assert found == [(0, {"a": 1, "b": 2}), (1, {"a": 3, "b": 4})]


def test_quoted_cells_may_hold_delimiters_quotes_and_lines() -> None:
    assert rows(b'a,b\n"x,""y""\nz",2\n') == [(0, {"a": 'x,"y"\nz', "b": 2})]


def test_another_delimiter_separates() -> None:
    assert rows(b"a;b\n1;2\n", delimiter=";") == [(0, {"a": 1, "b": 2})]


def test_an_empty_file_has_no_rows() -> None:
    assert rows(b"") == []
    assert rows(b"a,b\n") == []


def test_a_wrong_number_of_cells_is_a_dead_letter_that_keeps_its_number() -> None:
    found = rows(b"a,b\n1\n2,3\n4,5,6\n")
    assert found[0] == (
        0,
        DeadLetter(0, "line 2: 1 cells under 2 columns", "1", "bad_cells"),
    )
    assert found[1] == (1, {"a": 2, "b": 3})
    assert isinstance(found[2][1], DeadLetter)


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (b'"x"y,1', "bad_cells"),
        (b"\xff,1", "bad_encoding"),
        (b"x" * 200_000 + b",1", "too_large"),
    ],
)
def test_a_row_that_cannot_be_read_is_a_dead_letter_and_the_next_is_read(
    row: bytes, kind: str
) -> None:
    found = rows(b"a,b\n" + row + b"\n2,3\n")
    assert isinstance(found[0][1], DeadLetter)
    assert found[0][1].kind == kind
    assert found[0][1].reason.startswith("line 2: ")
    assert found[1] == (1, {"a": 2, "b": 3})


def test_quotes_that_never_close_are_a_dead_letter() -> None:
    [letter] = letters(b'a,b\n1,2\n"3,4\n5,6\n')
    assert (letter.row, letter.kind, letter.raw) == (1, "bad_cells", '"3,4\n5,6')


def test_a_line_over_the_limit_is_a_dead_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tocsin.model.read.csv.LINE_LIMIT", 10)
    found = rows(b"a,b\n" + b"x," * 100_000 + b"\n2,3\n" + b"y" * 30)
    assert [getattr(row, "kind", None) for _, row in found] == ["too_large", None, "too_large"]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"a,b,a", "the column 'a' stands there twice; rename one"),
        (b"a,,b", "column 2 has no name; give it one, or leave it out"),
        (b"a;b", "it has one column, 'a;b'; if ';' separates, say delimiter=';'"),
        (b'"a"x,b', "the header of 'e.csv' cannot be used: ',' expected after '\"'"),
        (b"\xff,b", "it is not UTF-8; save the file as UTF-8"),
    ],
)
def test_a_header_that_cannot_be_used_is_refused(header: bytes, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        rows(header + b"\n1,2\n")
    assert message in str(caught.value)


def test_a_lone_column_may_have_any_name_when_the_delimiter_is_said() -> None:
    assert rows(b"a;b\n5\n", delimiter=",") == [(0, {"a;b": 5})]


@given(st.lists(st.sampled_from([b"1", b",", b'"', b"\n", b"\r", b"\xff", b"x", b"\x00"])))
def test_any_bytes_under_a_header_are_rows_or_dead_letters(pieces: list[bytes]) -> None:
    found = rows(b"a,b\n" + b"".join(pieces))
    assert [number for number, _ in found] == list(range(len(found)))
    for number, row in found:
        is_letter = isinstance(row, DeadLetter)
        assert row.row == number if is_letter else list(row) == ["a", "b"]  # type: ignore[union-attr, call-overload, arg-type]
