"""JSON lines: one object a line, in UTF-8; blank lines are skipped."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import IO, Final, NoReturn

from tocsin.model.dead_letter import RAW_LIMIT, DeadLetter, RowRefused, refuse
from tocsin.model.read.source import Row
from tocsin.model.show import show_value

LINE_LIMIT: Final = 16 * 1024 * 1024
"""How many bytes a line may have; a longer one is a dead letter and is not kept in memory."""

_BOM: Final = b"\xef\xbb\xbf"
_LIST_HINT: Final = "; a list of events wants one object a line instead: jq -c '.[]'"


def read_jsonl(stream: IO[bytes], *, limit: int = LINE_LIMIT) -> Iterator[Row]:
    r"""Return the rows of JSON lines. It never raises for what stands in them.

    Lines end with a line feed. A row number counts the lines that are not blank, from 0; the
    reasons of dead letters name the line as an editor counts it.

    Examples
    --------
    >>> import io
    >>> rows = list(read_jsonl(io.BytesIO(b'{"x": 1}\n\n[2]\n')))
    >>> rows[0], rows[1][0], rows[1][1].kind
    ((0, {'x': 1}), 1, 'not_an_object')
    """
    row = 0
    for number, line in enumerate(_lines(stream, limit), 1):
        text = line.removeprefix(_BOM) if number == 1 else line
        over = limit if len(line) > limit else None
        if over is not None or text.strip():
            yield row, _row(row, number, text, over)
            row += 1


def _lines(stream: IO[bytes], limit: int) -> Iterator[bytes]:
    """Return the lines without their ends; of one over the limit, one byte more than that."""
    while line := stream.readline(limit + 1):
        if len(line) > limit and not line.endswith(b"\n"):
            _skip_line(stream)
        yield line.removesuffix(b"\n")


def _skip_line(stream: IO[bytes]) -> None:
    while rest := stream.readline(65536):
        if rest.endswith(b"\n"):
            return


def _row(row: int, number: int, line: bytes, over: int | None) -> dict[str, object] | DeadLetter:
    try:
        if over is not None:
            refuse("too_large", f"longer than {over} bytes; send smaller rows")
        return _object(line)
    except RowRefused as refused:
        raw = line[: 4 * RAW_LIMIT].decode("utf-8", "backslashreplace")
        return DeadLetter(row, f"line {number}: {refused}", raw, refused.kind)


def _object(line: bytes) -> dict[str, object]:
    try:
        value = _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        reason = f"not UTF-8: {error.reason} at byte {error.start + 1}; save the file as UTF-8"
        refuse("bad_encoding", reason)
    except RowRefused:
        raise
    except (ValueError, RecursionError) as error:
        refuse("bad_json", _what_is_wrong(line, error))
    return _checked_object(value)


def _checked_object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        hint = _LIST_HINT if isinstance(value, list) else '; write one such as {"ts": 1000}'
        refuse("not_an_object", f"{show_value(value)} is not an object{hint}")
    return value


def _what_is_wrong(line: bytes, error: ValueError | RecursionError) -> str:
    hint = _LIST_HINT if line.lstrip().startswith(b"[") else ""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}{hint}"
    if isinstance(error, RecursionError):
        return f"not JSON that can be read: nested too deep{hint}"
    return f"not JSON that can be read: {error}{hint}"


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        refuse("duplicate_key", f"the key {show_value(twice)} stands there twice")
    return found


def _refuse_constant(text: str) -> NoReturn:
    refuse("bad_json", f"not JSON: {text} is no number; leave the value out or say null")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)
