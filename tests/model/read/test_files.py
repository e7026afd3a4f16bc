import gzip
import io
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tocsin.errors import ConfigurationError
from tocsin.model.event import Schema
from tocsin.model.read import Format, read_events, rows_of, sniff_format
from tocsin.model.read.source import unreadable
from tocsin.model.values import Kind

LINES = b'{"x": 1}\n{"x": 2}\n'
ROWS = [(0, {"x": 1}), (1, {"x": 2})]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.jsonl", "jsonl"),
        ("a.JSONL.GZ", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.json", "jsonl"),
        ("a.csv.gz", "csv"),
        ("dir.parquet/a.tsv", "csv"),
        ("a.parquet", "parquet"),
        ("a.feather", "arrow"),
        ("-", "jsonl"),
    ],
)
def test_names_tell_the_format(name: str, expected: Format) -> None:
    assert sniff_format(name) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"PAR1....", "parquet"),
        (b"ARROW1..", "arrow"),
        (b"\xff\xff\xff\xff\x10", "arrow"),
        (b' \n{"x": 1}', "jsonl"),
        (b'\xef\xbb\xbf{"x": 1}', "jsonl"),
        (gzip.compress(LINES, mtime=0), "jsonl"),
    ],
)
def test_the_first_bytes_tell_where_the_name_does_not(
    content: bytes, expected: Format, tmp_path: Path
) -> None:
    (tmp_path / "events").write_bytes(content)
    assert sniff_format(tmp_path / "events") == expected


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n"])
def test_a_file_that_tells_nothing_asks_for_its_format(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(content)
    message = "cannot tell the format of .*say format= one of jsonl, csv, parquet, arrow"
    with pytest.raises(ConfigurationError, match=message):
        read_events(tmp_path / "events")


@pytest.mark.parametrize("name", ["e.jsonl", "e.jsonl.gz", "events", "e.txt.gz"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_json_lines_are_read_packed_or_not(name: str, pack: Any, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(pack(LINES))
    assert list(read_events(tmp_path / name)) == ROWS
    assert list(read_events(str(tmp_path / name), format="jsonl")) == ROWS


def test_csv_is_read_by_its_name_its_schema_and_its_delimiter(tmp_path: Path) -> None:
    (tmp_path / "e.csv.gz").write_bytes(gzip.compress(b"x,y\n1,2\n"))
    (tmp_path / "e.tsv").write_bytes(b"x\ty\n1\t2\n")
    (tmp_path / "e.txt").write_bytes(b"x;y\n1;2\n")
    schema = Schema({"y": Kind.STRING})
    expected = [(0, {"x": 1, "y": "2"})]
    assert list(read_events(tmp_path / "e.csv.gz", schema=schema)) == expected
    assert list(read_events(tmp_path / "e.tsv", schema=schema)) == expected
    other = read_events(tmp_path / "e.txt", format="csv", schema=schema, delimiter=";")
    assert list(other) == expected


@pytest.mark.parametrize(("form", "content"), [(None, LINES), ("csv", b"x\n1\n2\n")])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_dash_is_standard_input(
    form: Format | None, content: bytes, pack: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.BytesIO(pack(content))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stdin))
    calls: list[tuple[int, int | None]] = []
    assert list(read_events("-", format=form, progress=lambda *at: calls.append(at))) == ROWS
    assert calls == [(len(pack(content)), None)]
    assert not stdin.closed


def test_a_pipe_is_read_once_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(LINES,))
    writer.start()
    assert list(read_events(path)) == ROWS
    writer.join()


@pytest.mark.parametrize("name", ["e.jsonl", "e.csv", "events"])
def test_a_file_that_cannot_be_opened_is_refused_at_once(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=f"there is no file '.*{name}'; check the path"):
        read_events(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(ConfigurationError, match=r"is a directory; give one file of events$"):
        read_events(tmp_path / name)
    (tmp_path / name / "part-0.parquet").touch()
    said = rf"give one file of events, such as .*{name}.part-0\.parquet$"
    with pytest.raises(ConfigurationError, match=said):
        read_events(tmp_path / name)


def test_a_file_that_may_not_be_read_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="may not be read by this user"), unreadable("e"):
        raise PermissionError


def test_a_packed_file_that_is_cut_short_is_refused_where_it_ends(tmp_path: Path) -> None:
    content = gzip.compress(b"".join(b'{"x": "%d"}\n' % (i * i * 7919) for i in range(20_000)))
    (tmp_path / "e.jsonl.gz").write_bytes(content[: len(content) // 2])
    rows = read_events(tmp_path / "e.jsonl.gz")
    assert next(rows) == (0, {"x": "0"})
    with pytest.raises(ConfigurationError, match="cut short, make it again"):
        list(rows)


def test_a_header_that_cannot_be_used_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_bytes(b"a,a\n")
    with pytest.raises(ConfigurationError, match=r"the header of '.*e.csv' cannot be used"):
        read_events(tmp_path / "e.csv")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("e.jsonl", {"format": "xml"}, "unknown format 'xml'; the formats are jsonl, csv"),
        ("-", {"format": "parquet"}, "'-' cannot be read as parquet; give a file on disk"),
        ("e.parquet.gz", {}, "cannot be read as parquet; give a file on disk that is not packed"),
        ("e.jsonl", {"delimiter": ";"}, "one character, and for CSV only"),
        ("e.csv", {"delimiter": ";;"}, "one character"),
        ("e.csv", {"delimiter": ""}, "one character"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_events(name, **options)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_progress_counts_bytes_and_ends_with_all_of_them(pack: Any, tmp_path: Path) -> None:
    content = pack(b"".join(b'{"x": "%d"}\n' % (i * i * 7919) for i in range(5_000)))
    (tmp_path / "e.jsonl").write_bytes(content)
    calls: list[tuple[int, int | None]] = []
    rows = read_events(tmp_path / "e.jsonl", progress=lambda *at: calls.append(at))
    assert len(list(rows)) == 5_000
    done = [at for at, _ in calls]
    assert done == sorted(done)
    assert calls[-1] == (len(content), len(content))
    assert len(calls) == 10


def test_what_progress_raises_is_not_taken_for_a_fault_of_the_file(tmp_path: Path) -> None:
    def fail(_done: int, _total: int | None) -> None:
        raise BrokenPipeError

    (tmp_path / "e.jsonl").write_bytes(LINES)
    with pytest.raises(BrokenPipeError):
        list(read_events(tmp_path / "e.jsonl", progress=fail))


def test_a_file_that_is_not_read_to_its_end_is_closed(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_bytes(LINES)
    rows = read_events(tmp_path / "e.jsonl")
    assert next(rows) == ROWS[0]
    del rows
    read_events(tmp_path / "e.jsonl")


def test_rows_of_takes_dicts_and_paths(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_bytes(LINES)
    assert list(rows_of([{"x": 1}, {"x": 2}])) == ROWS
    assert list(rows_of(row for _, row in ROWS)) == ROWS
    assert list(rows_of(tmp_path / "e.jsonl")) == ROWS
    assert list(rows_of(str(tmp_path / "e.jsonl"))) == ROWS


def test_rows_of_reports_progress_in_rows() -> None:
    calls: list[tuple[int, int | None]] = []
    assert len(list(rows_of([{}] * 600, progress=lambda *at: calls.append(at)))) == 600
    assert calls == [(512, 600), (600, 600)]


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ({"x": 1}, r"dict is no stream of events; put it in a list: \[event\], a table"),
        (5, "int is no stream of events; give a list of dicts, a table or a path"),
        (b"{}", "bytes is no stream of events"),
    ],
)
def test_rows_of_refuses_what_is_no_stream(events: object, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        rows_of(events)


@pytest.mark.parametrize(
    "column", [pa.array([1]), pa.chunked_array([[1]]), pd.Series([1]), np.array([1])], ids=type
)
def test_rows_of_refuses_a_column(column: object) -> None:
    with pytest.raises(ConfigurationError, match="is no stream of events; give a list of dicts"):
        rows_of(column)


def test_rows_of_takes_the_tables_of_other_libraries() -> None:
    class Foreign:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table({"x": [1, 2]}).__arrow_c_stream__(requested_schema)

    assert list(rows_of(Foreign())) == ROWS


def test_rows_of_takes_a_subclass_of_a_frame() -> None:
    class Frame(pd.DataFrame):
        pass

    assert list(rows_of(Frame({"x": [1, 2]}))) == ROWS
