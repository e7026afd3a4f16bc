"""What must be equal before times are compared."""

from __future__ import annotations


class UnequalAnswersError(AssertionError):
    """Two ways that must give the same did not; their times mean nothing then."""


def check_equal(what: str, found: object, expected: object, *, of: str) -> None:
    """Refuse figures of an engine whose answers are wrong.

    Raises
    ------
    UnequalAnswersError
        Says what differs, and from whom.

    Examples
    --------
    >>> check_equal("matches", 3, 3, of="the oracle")
    >>> check_equal("matches", 3, 4, of="the oracle")
    Traceback (most recent call last):
        ...
    tocsin.bench.answers.UnequalAnswersError: matches: the engine has 3, the oracle has 4
    """
    if found != expected:
        msg = f"{what}: the engine has {found}, {of} has {expected}"
        raise UnequalAnswersError(msg)
