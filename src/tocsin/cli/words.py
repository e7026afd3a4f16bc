"""Names given on the command line, looked up with a hint where they are unknown."""

from __future__ import annotations

from tocsin.errors import ConfigurationError
from tocsin.language.suggest import did_you_mean
from tocsin.language.tree import Program


def named_subscriptions(program: Program, names: list[str] | None) -> list[str] | None:
    """Return the names if the program has subscriptions called so.

    Raises
    ------
    ConfigurationError
        There is no subscription of that name, or none at all.
    """
    known = [subscription.name for subscription in program.subscriptions]
    if not known:
        msg = "the program holds no subscription; write SUBSCRIBE name MATCH […];"
        raise ConfigurationError(msg)
    for name in names or []:
        if name not in known:
            hint = did_you_mean(name, known) or f"The subscriptions are {', '.join(known)}."
            msg = f"there is no subscription '{name}'. {hint}"
            raise ConfigurationError(msg)
    return names
