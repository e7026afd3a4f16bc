"""`read_pipeline`: a file checked as a whole, before Spark starts."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tocsin.errors import ConfigurationError
from tocsin.model.read.text import read_text
from tocsin.spark.pipeline.keys import Keys
from tocsin.spark.pipeline.log import log_path
from tocsin.spark.pipeline.settings import Pipeline
from tocsin.spark.pipeline.tables import Reader


def read_pipeline(path: str | Path) -> Pipeline:
    """Return the pipeline of a file.

    Raises
    ------
    ConfigurationError
        Something is wrong with it; the message names every key, what is wrong and what to do.
    """
    file = Path(path)
    top = Keys(_read(file))
    reader = Reader(file, top)
    pipeline = reader.pipeline()
    if top.problems:
        raise ConfigurationError("\n".join(f"{file}: {problem}" for problem in top.problems))
    assert pipeline is not None
    return pipeline


def read_log_path(path: str | Path) -> Path:
    """Return where the log of a pipeline is, without checking the rest of its file.

    Raises
    ------
    ConfigurationError
        The file cannot be read.
    """
    file = Path(path)
    name = _read(file).get("log")
    return log_path(file, name if isinstance(name, str) else None)


def _read(file: Path) -> dict[str, Any]:
    text = read_text(file, if_missing="tocsin pipeline init writes one")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        is_twice = any(word in str(error) for word in ("twice", "overwrite"))
        hint = "name each key once" if is_twice else 'texts stand in quotes, as in time = "ts"'
        msg = f"{file} is not TOML: {error}; {hint}"
        raise ConfigurationError(msg) from error
