"""Short names for the parts of a pattern."""

from __future__ import annotations

from tocsin.language.normal import Both, Counted, Either, Normal, Repeated, Silence
from tocsin.language.normal.normalize import present_leaves
from tocsin.language.printer.literals import literal_text
from tocsin.language.variables import variables_of


def _times(node: Repeated) -> str:
    times = f"{node.low} times"
    if node.high is None:
        times = f"{node.low} times or more"
    elif node.low != node.high:
        times = f"{node.low} to {node.high} times"
    if node.step is None:
        return times
    attribute, step = node.step
    return f"{times}, {attribute} growing by {literal_text(step)}"


def title_of(node: Normal) -> str:
    """Return the aliases of a part."""
    return ", ".join(dict.fromkeys(leaf.alias for leaf in present_leaves(node))) or "silence"


def words_of(node: Normal) -> str:
    """Return what a machine finds, in a few words."""
    match node:
        case Repeated():
            return f"{title_of(node)}, {_times(node)}"
        case Silence(absent):
            return f"no {title_of(absent)}"
        case Both():
            return " & ".join(map(title_of, node.parts))
        case Either():
            return " | ".join(map(title_of, node.parts))
        case Counted(index=index):
            return f"number {index} of {title_of(node)}"
    return title_of(node)


def shared_variables(node: Both) -> tuple[str, ...]:
    """Return the variables that more than one side binds."""
    names = [
        name
        for part in node.parts
        for name in dict.fromkeys(
            one for leaf in present_leaves(part) for one in variables_of(leaf.condition)
        )
    ]
    return tuple(dict.fromkeys(name for name in names if names.count(name) > 1))
