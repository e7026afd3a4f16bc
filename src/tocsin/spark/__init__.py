"""The same subscriptions over data frames of Spark: history as a table, and live streams.

>>> from tocsin.spark import match  # doctest: +SKIP
>>> match(logins, "SUBSCRIBE ...", time="ts")  # doctest: +SKIP

Read it in this order: `match` (the calls), `intake` (what comes in), `job` (what runs), `placing`
(rows and positions, counted once), `splits` (how a group of subscriptions is split), `work` (what
runs in the workers).
"""

from tocsin.spark.match import dead_letters, explain, match
from tocsin.spark.schema import NOTIFICATIONS
from tocsin.spark.session import local_session
from tocsin.spark.sql import register
from tocsin.spark.streaming import explain_stream, match_stream

__all__ = [
    "NOTIFICATIONS",
    "dead_letters",
    "explain",
    "explain_stream",
    "local_session",
    "match",
    "match_stream",
    "register",
]
