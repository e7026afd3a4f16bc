"""The log of a run: JSON lines that say how far it is."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

from tocsin.errors import ConfigurationError


def log_path(file: Path, name: str | None) -> Path:
    """Return where the log of a pipeline is: beside it, where it does not say.

    Examples
    --------
    >>> log_path(Path("jobs/logins.toml"), None).as_posix()
    'jobs/logins.log.jsonl'
    """
    return file.with_suffix(".log.jsonl") if name is None else file.parent / name


class RunLog:
    """Adds lines to a log; each is written at once, so that others can follow.

    Raises
    ------
    ConfigurationError
        The file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except OSError as error:
            msg = f"the log {path} cannot be written: {error.strerror}; name another with log = …"
            raise ConfigurationError(msg) from error

    def write(self, what: str, **facts: object) -> None:
        """Add a line: when, what, and facts."""
        line = {"logged": dt.datetime.now(dt.UTC).isoformat(), "what": what, **facts}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")


def read_log(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a log; one that is being written is left out.

    Raises
    ------
    ConfigurationError
        There is no log.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        msg = f"there is no log {path}; tocsin pipeline run writes it"
        raise ConfigurationError(msg) from error
    found = []
    for line in text.splitlines():
        try:
            fact = json.loads(line)
        except ValueError:
            continue
        if isinstance(fact, dict):
            found.append(fact)
    return found


def last_run(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of the last run, its start first.

    Examples
    --------
    >>> last_run([{"what": "start"}, {"what": "end"}, {"what": "start", "mode": "batch"}])
    [{'what': 'start', 'mode': 'batch'}]
    """
    starts = [place for place, line in enumerate(lines) if line.get("what") == "start"]
    return lines[starts[-1] :] if starts else lines
