"""Subscriptions over live streams of Spark.

Read it in this order: `match_stream` (the call), `routes` (which buckets an event goes to),
`query` and `packing` (how it gets there), `bucket` and `bucket_run` (what a micro-batch does to a
bucket), `processor` (the shell that Spark calls), `live_engines` (what a worker keeps).
"""

from tocsin.spark.streaming.match_stream import explain_stream, match_stream

__all__ = ["explain_stream", "match_stream"]
