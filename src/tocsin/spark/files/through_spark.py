"""Why rows come through Spark, where that is so."""

from __future__ import annotations


class ThroughSpark(Exception):
    """Workers cannot read the files themselves; says why, for `explain`.

    Examples
    --------
    >>> str(ThroughSpark("rows do not lie in the order of time"))
    'rows do not lie in the order of time'
    """
