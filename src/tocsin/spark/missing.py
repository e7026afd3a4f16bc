"""Names that are not there, in sentences: who misses them, which there are, which was meant.

They are the same whether a frame of Spark lacks the name or the file of a pipeline does.
"""

from __future__ import annotations

from collections.abc import Collection

from tocsin.language.suggest import nearest


def column_named(what: str, name: str, named_by: str, columns: Collection[str]) -> str:
    """Return the sentence on a column that an option names.

    Examples
    --------
    >>> column_named("stream 's'", "tss", "time=", ["ts", "v"])
    "stream 's' has no column 'tss', which time= names; it has ts, v; did you mean 'ts'?"
    """
    known = _known(name, columns)
    return f"{what} has no column '{name}', which {named_by} names; it has {known}"


def column_read(subscription: str, name: str, stream: str, columns: Collection[str]) -> str:
    """Return the sentence on a column that a subscription reads; those of tocsin are not shown.

    Examples
    --------
    >>> print(column_read("x", "w", "s", ["ts", "$end"]))
    subscription 'x' reads 'w' of stream 's', but the events have no such column; they have ts
    """
    known = _known(name, [one for one in columns if not one.startswith("$")])
    reads = f"subscription '{subscription}' reads '{name}' of stream '{stream}'"
    return f"{reads}, but the events have no such column; they have {known}"


def stream_read(
    subscription: str, name: str, streams: Collection[str], *, given: str, fix: str
) -> str:
    """Return the sentence on a stream that a subscription reads.

    Parameters
    ----------
    given
        What there is for each of the streams.
    fix
        What to do, where no name is near.

    Examples
    --------
    >>> print(stream_read("x", "files", ["logins"], given="frames", fix="give one"))
    subscription 'x' reads the stream 'files', but there are frames for logins; give one
    """
    reads = f"subscription '{subscription}' reads the stream '{name}'"
    return (
        f"{reads}, but there are {given} for {', '.join(streams)}; {_meant(name, streams) or fix}"
    )


def _known(name: str, columns: Collection[str]) -> str:
    """Return which columns there are, and which of them was meant."""
    meant = _meant(name, columns)
    return ", ".join(columns) + (f"; {meant}" if meant else "")


def _meant(name: str, known: Collection[str]) -> str | None:
    near = nearest(name, known)
    return None if near is None else f"did you mean '{near}'?"
