"""Which subscriptions run in kernels, so that others do not slow them down in one engine."""

from __future__ import annotations

from tocsin.language.live import LiveProgram
from tocsin.plan.linear import NotLinearError, linear_form


def linear_names(live: LiveProgram) -> frozenset[str]:
    """Return the subscriptions that run in kernels and share no derived stream with another.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> text = "SUBSCRIBE a MATCH [v = 1]; SUBSCRIBE b MATCH x:[v = 1] ; !y:[v = 2] FOR 1 s"
    >>> sorted(linear_names(LiveProgram(parse(text))))
    ['a']
    """
    subscriptions = live.program.subscriptions
    derived = {one.into for one in subscriptions if one.into is not None}
    found = set()
    for one in live.normal(subscriptions):
        if one.tree.into is None and derived.isdisjoint(one.sources):
            try:
                linear_form(one)
            except NotLinearError:
                continue
            found.add(one.tree.name)
    return frozenset(found)
