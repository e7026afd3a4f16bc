"""The words of cost warnings."""

from __future__ import annotations

from typing import Final

from tocsin.language.printer import to_text
from tocsin.language.tree import Limit
from tocsin.plan.cost.degree import Degree
from tocsin.plan.cost.warnings import CostClass, CostWarning

_ADD_WINDOW: Final = "Add WITHIN 1 hour"
_HINT_OF_SIGN: Final = {
    ";": f"{_ADD_WINDOW}: ';' asks for any later event, so nothing else ends the waiting.",
    "->": f"{_ADD_WINDOW}: the event that ends the waiting may never come.",
    "&": f"{_ADD_WINDOW}: the other side may never come.",
    "{}": f"{_ADD_WINDOW} or UNTIL (…).",
    "repeat": f"{_ADD_WINDOW}: the next repetition may never come.",
}
_KEPT_BY_SIGN: Final = {
    "&": "each side of this '&' is kept for ever",
    **dict.fromkeys(("{}", "repeat"), "partial matches wait for ever for the next repetition"),
}
_NARROWER: Final = "Join the parts by a variable (attribute = $x), write -> for the first later one"
_IN_STREAM: Final = "the length of the stream"


def place_text(limit: Limit | None) -> str:
    """Return in what something grows: the stream, or a window."""
    if limit is None:
        return _IN_STREAM
    if limit.unit == "events":
        return f"a window of {to_text(limit)}"
    return f"the events of {to_text(limit)}"


def growth_text(degree: Degree, limit: Limit | None, variables: tuple[str, ...] = ()) -> str:
    """Return how fast something grows and in what.

    Examples
    --------
    >>> growth_text(Degree(1, 1), None, ("x",))
    'polynomial of degree 2 in the length of the stream, for each $x'
    """
    if degree == Degree():
        return str(degree)
    keys = f", for each {_listed(variables)}" if degree.keyed and variables else ""
    return f"{degree} in {place_text(limit)}{keys}"


def _listed(variables: tuple[str, ...]) -> str:
    return ", ".join(f"${name}" for name in variables)


def waits_for_ever(sign: str, at: int, growth: str, *, in_nth: bool) -> CostWarning:
    """Return the warning of an operator behind which nothing ends the waiting."""
    what = _KEPT_BY_SIGN.get(sign, f"partial matches wait for ever behind this '{sign}'")
    hint = _HINT_OF_SIGN[sign]
    if in_nth:
        hint = "nth counts from the start: put the window inside, as in nth(2, (p WITHIN 1 hour))."
    return CostWarning(CostClass.UNBOUNDED, what, growth, sign, at, hint)


def multiplies(sign: str, at: int, growth: str, *, exponential: bool) -> CostWarning:
    """Return the warning of an operator that multiplies matches."""
    shown = "iteration" if sign == "{}" else f"'{sign}'"
    what = f"every choice of events is a match of its own behind this {shown}"
    hint = f"{_NARROWER}, or narrow the window."
    if sign == "{}":
        what = "every choice of repetitions is a match of its own"
        hint = "Repeat BY -> to take them one after the other, or lower the upper bound."
        if exponential:
            hint = "Repeat BY -> to take them one after the other, or give an upper bound: {1,3}."
    return CostWarning(CostClass.EXPLOSIVE, what, growth, sign, at, hint)


def looks_back(at: int) -> CostWarning:
    """Return the warning of an absence that is sought among all events so far."""
    return CostWarning(
        CostClass.UNBOUNDED,
        "what must be absent is sought among all events so far, which are kept for ever",
        f"linear in {_IN_STREAM}",
        "!",
        at,
        "Make it one atom, or EMIT it INTO a stream and say that stream's name here.",
    )


def remembers(what: str, operator: str, at: int, variables: tuple[str, ...]) -> CostWarning:
    """Return the note on something that is remembered for each value of variables."""
    keys = _listed(variables)
    return CostWarning(
        CostClass.PER_KEY,
        f"{what} for each {keys}, for ever",
        f"linear in the number of different {keys}",
        operator,
        at,
        f"Fine where {keys} has few values.",
    )
