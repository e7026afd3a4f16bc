"""Who reads Parquet files."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from tocsin.errors import ConfigurationError

Reader: TypeAlias = Literal["auto", "spark", "workers"]
"""Spark, the workers of tocsin themselves, or these only where that is exact and they find them."""
READERS: Final[tuple[Reader, ...]] = get_args(Reader)


def check_reader(reader: str) -> None:
    """See that a reader is one.

    Raises
    ------
    ConfigurationError
        Says which there are.

    Examples
    --------
    >>> check_reader("spork")
    Traceback (most recent call last):
    ...
    tocsin.errors.ConfigurationError: reader='spork' is unknown; use 'auto', 'spark' or 'workers'
    """
    if reader not in READERS:
        msg = f"reader={reader!r} is unknown; use 'auto', 'spark' or 'workers'"
        raise ConfigurationError(msg)
