"""`read_pipeline`: a file checked as a whole, before Spark starts."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tocsin.errors import ConfigurationError
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
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        msg = f"there is no file {file}; tocsin pipeline init writes one"
        raise ConfigurationError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{file} is not UTF-8 text; save it as UTF-8"
        raise ConfigurationError(msg) from error
    except OSError as error:
        msg = f"{file} cannot be read: {error.strerror}"
        raise ConfigurationError(msg) from error
    except tomllib.TOMLDecodeError as error:
        msg = f'{file} is not TOML: {error}; texts stand in quotes, as in time = "ts"'
        raise ConfigurationError(msg) from error
