"""Whole files of text: programs and settings."""

from __future__ import annotations

from pathlib import Path

from tocsin.errors import ConfigurationError


def read_text(path: Path, *, if_missing: str = "", if_directory: str = "") -> str:
    """Return the text of a file, without a byte order mark.

    Parameters
    ----------
    if_missing, if_directory
        What to do where there is no such file, or where it is a directory.

    Raises
    ------
    ConfigurationError
        It cannot be read; the message says why, and what to do.

    Examples
    --------
    >>> read_text(Path("no.toml"), if_missing="tocsin pipeline init writes one")
    Traceback (most recent call last):
    tocsin.errors.ConfigurationError: there is no file no.toml; tocsin pipeline init writes one
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise ConfigurationError(_told(f"there is no file {path}", if_missing)) from error
    except IsADirectoryError as error:
        raise ConfigurationError(_told(f"{path} is a directory", if_directory)) from error
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 text; save it as UTF-8"
        raise ConfigurationError(msg) from error
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}"
        raise ConfigurationError(msg) from error


def _told(what: str, to_do: str) -> str:
    return f"{what}; {to_do}" if to_do else what
