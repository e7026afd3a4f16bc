"""Sinks that would write into what a pipeline reads or needs: sources, checkpoints, other sinks."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tocsin.spark.pipeline.places import has_scheme
from tocsin.spark.pipeline.settings import Sink, Source

_SIGNS: Final = frozenset("*?[{")
_PIECE: Final = re.compile(r"\*|\?|\[[^\]]*\]|\{[^}]*\}|.", re.DOTALL)
_ONE_STORE: Final = {"s3a": "s3", "s3n": "s3"}
_FIX: Final = "give the sink a folder of its own"
_FIX_TABLE: Final = "give the sink a table of its own"


class Spot(NamedTuple):
    """Something that lies somewhere: the key that names it, its path, and the names in that.

    `is_plain` means that a sign such as * in it stands for itself.
    """

    key: str
    path: str
    names: tuple[str, ...]
    is_plain: bool = True


def spot_of(key: str, path: str | Path, *, is_pattern: bool = False) -> Spot:
    """Return where a path leads, without links and `..`; of a pattern the names stay patterns.

    Examples
    --------
    >>> spot_of("sinks.late", "s3a://bucket/in/../out").names
    ('s3', 'bucket', 'out')
    """
    text = str(path)
    names = _names(text, is_pattern=is_pattern)
    return Spot(key, text, names, is_plain=not is_pattern)


def place_spots(places: Iterable[tuple[str, Source | Sink]]) -> Iterator[Spot]:
    """Yield where sources and sinks lie, those that have a path."""
    for key, place in places:
        option = (value for name, value in place.options.items() if name.lower() == "path")
        path = place.path or next(option, None)
        if path is not None:
            yield spot_of(key, path, is_pattern=isinstance(place, Source))


def overlap_problems(
    sources: Mapping[str, Source], sinks: Mapping[str, Sink], needed: Iterable[Spot]
) -> Iterator[str]:
    """Yield what is wrong with the places of sinks, each with its key.

    Parameters
    ----------
    sources, sinks
        By their keys in the file.
    needed
        What else must stay as it is: checkpoint, log, files of subscriptions.
    """
    others = [*place_spots(sources.items()), *needed]
    for own in place_spots(sinks.items()):
        for other in others:
            if _overlap(own.names, other) and not _is_set_aside(own, other):
                yield f"{own.key}.path: {_told(own, other)}; {_FIX}"
        others.append(own)
    for key, sink in sinks.items():
        for name, source in sources.items():
            if sink.table is not None and _is_same_table(sink.table, source.table):
                yield f"{key}.table: it is the table of {name} too; {_FIX_TABLE}"


def _is_same_table(one: str, other: str | None) -> bool:
    return other is not None and one.lower().replace("`", "") == other.lower().replace("`", "")


def _told(own: Spot, other: Spot) -> str:
    if len(own.names) == len(other.names):
        where = f"it is the place of {other.key} too"
    elif len(own.names) > len(other.names):
        where = f"it lies inside {other.key}"
    else:
        where = f"{other.key} lies inside it"
    return f"{where}, {other.path}, so that a run would spoil that or even delete it"


def _overlap(names: tuple[str, ...], other: Spot) -> bool:
    """Say whether one lies in the other: all names agree, as far as both have some."""
    fits = str.__eq__ if other.is_plain else _fits
    return all(fits(name, wanted) for name, wanted in zip(names, other.names, strict=False))


def _is_set_aside(own: Spot, other: Spot) -> bool:
    """Say whether a checkpoint lies in a sink under a name that readers pass over.

    Delta advises to keep it in `_checkpoints` of the table; a stream deletes nothing of its sink.
    """
    below = other.names[len(own.names) :]
    return other.key.startswith("stream.") and any(name[:1] in ("_", ".") for name in below)


def _names(text: str, *, is_pattern: bool) -> tuple[str, ...]:
    scheme, _, rest = text.partition(":") if has_scheme(text) else ("", "", text)
    if scheme.lower() == "file":
        names = _local_names("/" + rest.lstrip("/"), is_pattern=is_pattern)
    elif len(scheme) > 1:  # one letter is a drive of Windows
        host, _, path = rest[2:].partition("/") if rest.startswith("//") else ("", "", rest)
        inner = posixpath.normpath("/" + path).strip("/").split("/")
        store = _ONE_STORE.get(scheme.lower(), scheme.lower())
        names = (store, host, *(name for name in inner if name))
    else:
        names = _local_names(text, is_pattern=is_pattern)
    return _closed(names) if is_pattern else names


def _local_names(text: str, *, is_pattern: bool) -> tuple[str, ...]:
    """Return the names of a path of this machine; what links mean is known up to a pattern."""
    parts = Path(text).absolute().parts
    signs = (place for place, name in enumerate(parts) if _SIGNS & set(name))
    fixed = next(signs, len(parts)) if is_pattern else len(parts)
    if is_pattern and Path(text).exists():  # signs that stand for themselves
        fixed = len(parts)
    real = Path(os.path.realpath(Path(*parts[:fixed])))
    return tuple(os.path.normcase(name) for name in (*real.parts, *parts[fixed:]))


def _closed(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return a pattern up to a brace that spans several names, which may then mean anything."""
    for place, name in enumerate(names):
        if name.count("{") > name.count("}"):
            return (*names[:place], name.partition("{")[0] + "*")
    return names


def _fits(name: str, pattern: str) -> bool:
    """Say whether a name may be meant by a pattern as Hadoop reads it."""
    if name == pattern:
        return True
    expression = "".join(_expression(piece) for piece in _PIECE.findall(pattern))
    try:
        return re.fullmatch(expression, name, re.DOTALL) is not None
    except re.error:  # a strange pattern may mean anything
        return True


def _expression(piece: str) -> str:
    if piece in ("*", "?"):
        return ".*" if piece == "*" else "."
    if len(piece) > 1 and piece[0] == "[":
        return piece.replace("[!", "[^").replace("\\", "\\\\")
    if len(piece) > 1:
        inner = piece[1:-1].split(",")
        choices = ("".join(map(_expression, _PIECE.findall(one))) for one in inner)
        return f"(?:{'|'.join(choices)})"
    return re.escape(piece)
