"""The names with `$` that a row may have, and what they take."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Final

from tocsin.model.dead_letter import refuse
from tocsin.model.normalise import is_nested, is_text, normalise
from tocsin.model.show import show_value
from tocsin.model.values import Value

CONTROLS: Final = ("$stream", "$end", "$clock", "$subscribe", "$unsubscribe")
"""The names with `$` that a row may have; the last three make a row that is no event."""

COMMANDS: Final = CONTROLS[2:]


def controls_of(raw: Mapping[object, object]) -> dict[str, Value]:
    """Return the names with `$` and their values, without the missing ones; check all names.

    Raises
    ------
    RowRefused
        A name is no text or an unknown control.

    Examples
    --------
    >>> controls_of({"ts": 1, "$stream": "asks", "$end": None})
    {'$stream': 'asks'}
    """
    controls = {}
    for name, value in raw.items():
        if not isinstance(name, str):
            refuse("bad_key", f"the name {show_value(name)} is not a string")
        if name.startswith("$"):
            _check_known(name)
            controls[name] = normalise(name, value)
        elif not is_text(name):
            refuse("bad_encoding", f"the name {show_value(name)} is not Unicode text")
    return {name: value for name, value in controls.items() if value is not None}


def check_alone(name: str, raw: Mapping[str, object]) -> None:
    """Refuse a row in which something stands beside a command."""
    others = (other for other in raw if other != name and _is_there(other, raw[other]))
    other = next(others, None)
    if other is not None:
        refuse("bad_control", f"{name} stands alone in its row, but {show_value(other)} is there")


def text_of(name: str, value: Value) -> str:
    """Return the text that a control was given; refuse anything else, and a blank one."""
    if not isinstance(value, str) or not value.strip():
        refuse("bad_control", f"{name} takes a text, not {show_value(value)}")
    return value


def _check_known(name: str) -> None:
    if name not in CONTROLS:
        near = difflib.get_close_matches(name[:40], CONTROLS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the known ones are {', '.join(CONTROLS)}"
        refuse("unknown_control", f"unknown control {show_value(name)}; {hint}")


def _is_there(name: str, value: object) -> bool:
    return is_nested(value) or normalise(name, value) is not None
