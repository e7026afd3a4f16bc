"""Examples in help texts; tests run them."""

from __future__ import annotations

import inspect
from collections.abc import Callable


def with_examples(command: Callable[..., None], examples: tuple[str, ...]) -> str:
    r"""Return the help text of a command: its docstring and its examples, a line each.

    Examples
    --------
    >>> with_examples(with_examples, ("tocsin demo",)).endswith("\n\n\b\ntocsin demo")
    True
    """
    return "\n\n\b\n".join([inspect.getdoc(command) or "", "\n".join(examples)])
