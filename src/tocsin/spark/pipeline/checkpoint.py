"""Whose checkpoint it is, told before a query writes into it.

The buckets of a stream refuse the state of another program, but only those that have some: another
one would begin anew meanwhile, and then the checkpoint belongs to nobody.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tocsin.errors import ConfigurationError
from tocsin.language.printer import to_text
from tocsin.spark.pipeline.places import has_scheme
from tocsin.spark.pipeline.settings import Pipeline

_FILE: Final = "tocsin.json"
_METADATA: Final = "metadata"
_PROGRAM: Final = "program"
_KEPT: Final = (
    "start", "buckets", "shards", "time", "end", "order", "row", "streams", "simultaneous",
)  # fmt: skip
"""The options that state depends on."""


def check_checkpoint(pipeline: Pipeline) -> None:
    """Refuse a checkpoint of another program or of other options; write down whose it is now.

    One on a file system that only Spark reaches is left to the buckets.

    Raises
    ------
    ConfigurationError
        It has been made with others, or is damaged.
    """
    streaming = pipeline.streaming
    assert streaming is not None
    if has_scheme(streaming.checkpoint):
        return
    folder = Path(streaming.checkpoint)
    own = _told(pipeline)
    before = _read(folder / _FILE)
    _check_readable(folder)
    if before is not None and before != own and has_run(folder):
        changed = _changed([name for name in own if own[name] != before.get(name)])
        msg = (
            f"the checkpoint {folder} was made with {changed}; go on with what it was made "
            f"with, or name a new checkpoint, and sinks of its own"
        )
        raise ConfigurationError(msg)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_text(json.dumps(own, indent=1), encoding="utf-8", newline="\n")
    except OSError as error:
        msg = f"the checkpoint {folder} cannot be written: {error.strerror}"
        raise ConfigurationError(msg) from error


def _check_readable(folder: Path) -> None:
    """See that a checkpoint that has begun says which query it is of."""
    for name, keeper in ((_METADATA, "Spark"), (_FILE, "tocsin")):
        path = folder / name
        if path.exists() and _read(path) is None and has_run(folder):
            msg = (
                f"the checkpoint {folder} is damaged: its file '{name}', in which {keeper} keeps "
                "what it belongs to, cannot be read; bring it back as it was, or name a new "
                "checkpoint, and sinks of its own"
            )
            raise ConfigurationError(msg)


def _changed(names: list[str]) -> str:
    """Return what a checkpoint was made with, by the names of what is not as it was."""
    options = [name for name in names if name != _PROGRAM]
    said = ["another program"] if _PROGRAM in names else []
    if options:
        said.append(f"{'other values' if options[1:] else 'another value'} of {', '.join(options)}")
    return " and ".join(said)


def _told(pipeline: Pipeline) -> dict[str, str]:
    """Return all that must not change, by what people call it."""
    assert pipeline.streaming is not None
    program = "" if pipeline.watched is not None else to_text(pipeline.program)
    options = {**pipeline.columns.options(), **pipeline.streaming.options()}
    kept = {name: str(options.get(name)) for name in _KEPT}
    return {_PROGRAM: program, **kept}


def _read(path: Path) -> dict[str, str] | None:
    try:
        found: dict[str, str] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found


def has_run(folder: Path) -> bool:
    """Say whether a micro-batch has been run, so that there may be state."""
    return any((folder / "offsets").glob("[0-9]*"))
