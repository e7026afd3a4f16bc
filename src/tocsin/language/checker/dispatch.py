"""Which function knows the kind of which expression.

The functions call one another in circles, so they meet in this table; `expressions.py` fills it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from tocsin.language.checker.scope import Scope
from tocsin.model.values import Kind

Handler: TypeAlias = Callable[[Any, Scope], Kind]
HANDLERS: Final[dict[type, Handler]] = {}
