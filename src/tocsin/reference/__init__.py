"""The meaning of the language, written as directly as possible: no index, no sharing.

Read it in this order: `evaluate` (expressions), `matches` (what satisfies a pattern), `sequences`
(links, absences and iteration), `timeline` (events, clock and subscriptions in their order),
`policies`, `run`.
"""

from tocsin.reference.run import run

__all__ = ["run"]
