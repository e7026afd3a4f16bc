"""Parquet files that lie in the order of time: workers read them, and nothing is shuffled.

Read it in this order: `plain_files` (which frames are nothing but files), `columns` (what Arrow
reads as Spark does), `make_survey` (whether rows lie in order, and where), `shares` (what each part
reads), `last_rows` (what it reads from before its slice), `reading` (how a worker does it),
`splitter`.
"""
