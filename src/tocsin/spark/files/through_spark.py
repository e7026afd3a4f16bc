"""Why rows come through Spark, where that is so."""

from __future__ import annotations

from tocsin.errors import ConfigurationError


class ThroughSpark(Exception):
    """Workers cannot read the files themselves; says why, for `explain`.

    Examples
    --------
    >>> str(ThroughSpark("rows do not lie in the order of time"))
    'rows do not lie in the order of time'
    """

    def as_error(self) -> ConfigurationError:
        """Return what is raised where workers were asked to read."""
        msg = f"reader='workers': workers cannot read the events themselves: {self}"
        return ConfigurationError(msg)
