"""What a run says when it begins, and of what it left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tocsin.model.counting import counted
from tocsin.spark.pipeline.settings import (
    AVAILABLE_NOW,
    BAD_PROGRAMS,
    DEAD_LETTERS,
    LATE,
    NOTIFICATIONS,
    REFUSED,
    Pipeline,
)


def beginning(pipeline: Pipeline) -> Iterator[str]:
    """Yield what to say when a run begins: what runs, where its output goes, how to stop it."""
    yield f"matching {_subscriptions(pipeline)}, mode {pipeline.mode}"
    sink = pipeline.sinks[NOTIFICATIONS]
    place = sink.path or sink.table or sink.format
    yield f"notifications go to {place}, progress to {pipeline.log}"
    if pipeline.streaming is None:
        return
    if pipeline.streaming.trigger == AVAILABLE_NOW:
        yield "it ends when what is there has been read; Ctrl-C stops it before"
    else:
        fix = "Ctrl-C stops it, and the next run goes on from there"
        yield f"a micro-batch every {pipeline.streaming.trigger}; {fix}"
    yield from notes_on_modes(pipeline)


def notes_on_modes(pipeline: Pipeline) -> Iterator[str]:
    """Yield what to say of modes of sinks that a stream does not heed."""
    if pipeline.mode != "stream":
        return
    for name, sink in pipeline.sinks.items():
        if sink.mode != "append":
            yield f"sinks.{name}.mode: a stream always appends, '{sink.mode}' does nothing there"


def left_out(pipeline: Pipeline, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield what to say of rows that came out and that no sink got."""
    if LATE not in pipeline.sinks:
        if counts.get(LATE):
            yield f"late events: {counts[LATE]:,}, left out; [sinks.late] would tell of them"
        if counts.get(REFUSED):
            told = "[sinks.late]" if pipeline.mode == "stream" else "tocsin.spark.dead_letters"
            yield f"rows that the engine refused: {counts[REFUSED]:,}; {told} would tell of them"
        if counts.get(BAD_PROGRAMS):
            texts = f"subscriptions whose text is wrong: {counts[BAD_PROGRAMS]:,}, left out"
            yield f"{texts}; [sinks.late] would tell of them"
    if counts[DEAD_LETTERS] and DEAD_LETTERS not in pipeline.sinks:
        letters = f"rows that are no events: {counts[DEAD_LETTERS]:,}, left out"
        yield f"{letters}; [sinks.dead_letters] would keep them"


def _subscriptions(pipeline: Pipeline) -> str:
    if pipeline.watched is not None:
        return "a table of subscriptions that may change"
    return counted(len(pipeline.program.subscriptions), "subscription")
