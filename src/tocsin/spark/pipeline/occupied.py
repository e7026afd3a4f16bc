"""Folders that a stream cannot begin in: files are there that it did not write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tocsin.spark.pipeline.checkpoint import has_run
from tocsin.spark.pipeline.places import has_scheme
from tocsin.spark.pipeline.settings import DEAD_LETTERS, Sink, Streaming

_OF_FILES: Final = ("parquet", "csv", "json", "orc", "text", "avro", "xml")


def occupied_problems(sinks: Mapping[str, Sink], streaming: Streaming) -> Iterator[str]:
    """Yield the sinks of files that hold some before their stream has begun, each with its key.

    A batch may have written them, and would be told twice; and of another stream's folder Spark
    takes the first micro-batches for written. What only Spark reaches is not looked into.
    """
    for name, sink in sinks.items():
        if sink.path is None or sink.format not in _OF_FILES or has_scheme(sink.path):
            continue
        if has_scheme(streaming.checkpoint) or has_run(_checkpoint(name, streaming)):
            continue
        if _has_data(Path(sink.path)):
            yield (
                f"sinks.{name}.path: {sink.path} holds files of a batch or of another stream, and "
                f"the checkpoint {streaming.checkpoint} has not begun; give this stream a path of "
                f"its own, or move the files away"
            )


def _checkpoint(name: str, streaming: Streaming) -> Path:
    """Return the checkpoint of the query that writes a sink; that of dead letters has its own."""
    folder = Path(streaming.checkpoint)
    return folder / DEAD_LETTERS if name == DEAD_LETTERS else folder


def _has_data(folder: Path) -> bool:
    """Say whether a reader would find a file there; it passes over names with _ or a dot."""
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return any(not any(name[0] in "_." for name in file.parts) for file in files)
