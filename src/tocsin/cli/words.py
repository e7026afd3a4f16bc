"""Names given on the command line, looked up with a hint where they are unknown."""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.errors import ConfigurationError
from tocsin.language.suggest import did_you_mean
from tocsin.language.tree import Program


def named_subscriptions(programs: Sequence[Program], names: list[str] | None) -> list[str]:
    """Return the names if some program has subscriptions called so; without names, all.

    Raises
    ------
    ConfigurationError
        There is no subscription of that name, or none at all.
    """
    known = [subscription.name for program in programs for subscription in program.subscriptions]
    if not known:
        msg = "the program holds no subscription; write SUBSCRIBE name MATCH […];"
        raise ConfigurationError(msg)
    for name in names or []:
        if name not in known:
            hint = did_you_mean(name, known) or f"The subscriptions are {', '.join(known)}."
            msg = f"there is no subscription '{name}'. {hint}"
            raise ConfigurationError(msg)
    return names or known
