"""Options that several commands share, written once as a dataclass."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, cast, get_type_hints


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters that are dataclasses have become those of their fields.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Size:
    ...     wide: int = 3
    ...     high: int = 2
    >>> @spread
    ... def area(name: str, *, size: Size) -> None:
    ...     print(name, size.wide * size.high)
    >>> area("door", wide=1)
    door 2
    >>> str(inspect.signature(area))
    '(name: str, *, wide: int = 3, high: int = 2)'
    """
    hints = get_type_hints(command, include_extras=True)
    signature = inspect.signature(command)
    groups: dict[str, type[Any]] = {
        name: hint
        for name, hint in hints.items()
        if isinstance(hint, type) and is_dataclass(hint) and name in signature.parameters
    }

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        for name, group in groups.items():
            own = [one.name for one in fields(group) if one.name in options]
            options[name] = group(**{one: options.pop(one) for one in own})
        command(*args, **options)

    shown, spreading = list(_parameters(signature, hints)), cast(Any, run)
    spreading.__signature__ = inspect.Signature(shown)
    spreading.__annotations__ = {one.name: one.annotation for one in shown}
    return run


def _parameters(signature: inspect.Signature, hints: dict[str, Any]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command, those of dataclasses in their place."""
    for name, parameter in signature.parameters.items():
        hint = hints[name]
        if not is_dataclass(hint):
            yield parameter.replace(annotation=hint)
            continue
        own = get_type_hints(hint, include_extras=True)
        for one in fields(hint):
            kind = inspect.Parameter.KEYWORD_ONLY
            yield inspect.Parameter(one.name, kind, default=one.default, annotation=own[one.name])
