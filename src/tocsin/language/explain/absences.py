"""Absences in words: between, at the edges of a sequence, and silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tocsin.language.explain.phrases import (
    bound_in,
    length_of_time,
    listed,
    of_stream,
    with_condition,
)
from tocsin.language.explain.steps import Step
from tocsin.language.tree import Absence, Atom, Pattern, Sequence

if TYPE_CHECKING:
    from tocsin.language.explain.patterns import PatternWords


def absence_in_sequence(words: PatternWords, sequence: Sequence, place: int) -> Step:
    """Return the step of an absence that stands in a sequence."""
    absence = sequence.parts[place]
    if not isinstance(absence, Absence):
        raise AssertionError(absence)
    leading = all(isinstance(part, Absence) for part in sequence.parts[:place])
    if absence.duration is not None:
        trailing = place == len(sequence.parts) - 1
        return _lasting(words, absence, leading=leading, trailing=trailing)
    if leading:
        return _step(words, absence.pattern, "no", "lies between the start and the next step")
    if sequence.links[place - 1].kind == ",":
        return _step(words, absence.pattern, "the very next event is no", "")
    return _step(words, absence.pattern, "no", "lies between the step before and the next one")


def _lasting(words: PatternWords, absence: Absence, *, leading: bool, trailing: bool) -> Step:
    time = length_of_time(absence.duration or 0)
    if leading:
        watched = f"the stream was watched for at least {time} before the next step, and no"
        return _step(words, absence.pattern, watched, f"lies in the {time} before it")
    after = f"follows for {time} after the steps so far (one at exactly {time} still counts)"
    if trailing:
        after += "; the match completes at that time by the clock, even if no event comes"
    else:
        after += "; the next step begins after that time"
    return _step(words, absence.pattern, "no", after)


def silence(words: PatternWords, absence: Absence) -> Step:
    """Return the step of a silence, which is a whole pattern."""
    if absence.duration is None:
        return _step(words, absence.pattern, "no", "")
    time = length_of_time(absence.duration)
    after = f"for {time}, counted from the start and again from each one on; told once each time"
    if absence.every is not None:
        after += f" and again after each further {length_of_time(absence.every)} of silence"
    if isinstance(absence.pattern, Atom):
        variables = [name for name, _ in bound_in(words.filter_of(absence.pattern)[1])]
        if variables:
            after += f", for each value of {listed(f'${name}' for name in variables)} apart"
    return _step(words, absence.pattern, "silence: no", after)


def _step(words: PatternWords, absent: Pattern, before: str, after: str) -> Step:
    """Put in what is absent: one event in the sentence itself, anything else in steps below it."""
    if isinstance(absent, Atom):
        stream, condition = words.filter_of(absent)
        event = f"event{of_stream(stream)}{with_condition(condition)}"
        return Step(f"{before} {event} {after}".rstrip())
    known = set(words.bound)
    parts = words.steps(absent) if isinstance(absent, Sequence) else (words.step(absent, None),)
    words.bound = known
    return Step(f"{before} match of the following {after}".rstrip() + ":", parts)
