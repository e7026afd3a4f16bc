"""Guards: the dynamic parts of tests, as programs over a scratch row with slots for references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tocsin.engine.columns import Vocabulary
from tocsin.engine.linear.arrays import FIRST_EVENT, LAST_EVENT, NONE, SPAN, Guards
from tocsin.language.rewrite import rewrite
from tocsin.language.tree import (
    And,
    Attribute,
    Comparison,
    EventReference,
    Expression,
    MatchDuration,
    OfEvent,
)
from tocsin.plan.predicates.programs import Program, compile_condition

_WHICH: Final = {None: LAST_EVENT, "last": LAST_EVENT, "prev": LAST_EVENT, "first": FIRST_EVENT}


def slot_name(number: int) -> str:
    """Return the name of the attribute that stands for a reference in the scratch row."""
    return f"$slot {number}"


class GuardStore:
    """Takes guards and keys in, each once, and gives them as arrays."""

    def __init__(
        self, vocabulary: Vocabulary, take_program: Callable[[Program], tuple[int, int]]
    ) -> None:
        self.vocabulary = vocabulary
        self.take_program = take_program
        self._guards: dict[tuple[Expression, ...], int] = {}
        self._programs: list[tuple[int, int]] = []
        self._references: list[list[tuple[int, int, int, int]]] = []
        self._keys: dict[tuple[int, int, int, int], int] = {}

    def take(self, conditions: tuple[Expression, ...]) -> int:
        """Return the number of the guard that holds where all conditions do, NONE for none."""
        if not conditions:
            return NONE
        if conditions not in self._guards:
            self._guards[conditions] = len(self._programs)
            self._add(conditions)
        return self._guards[conditions]

    def _add(self, conditions: tuple[Expression, ...]) -> None:
        references: list[tuple[int, int, int, int]] = []

        def change(node: Any) -> Any:
            if isinstance(node, MatchDuration):
                return self._slot(references, 0, SPAN, 0)
            if isinstance(node, OfEvent):
                leaf, which = _which(node.event)
                attribute = self.vocabulary.attribute(node.attribute)
                return self._slot(references, leaf, which, attribute)
            return None

        whole = conditions[0] if len(conditions) == 1 else And(conditions)
        program = compile_condition(rewrite(whole, change))
        self._programs.append(self.take_program(program))
        self._references.append(references)

    def _slot(
        self, references: list[tuple[int, int, int, int]], leaf: int, which: int, attribute: int
    ) -> Attribute:
        name = slot_name(len(references))
        references.append((leaf, which, attribute, self.vocabulary.attribute(name)))
        return Attribute(name)

    def take_key(self, condition: Expression) -> int:
        """Return the key that `attribute = a.attribute` makes; NONE for other conditions."""
        match condition:
            case Comparison("=", Attribute(own), OfEvent(event, attribute)) | Comparison(
                "=", OfEvent(event, attribute), Attribute(own)
            ):
                leaf, which = _which(event)
                names = self.vocabulary.attribute(own), self.vocabulary.attribute(attribute)
                key = (names[0], leaf, which, names[1])
                return self._keys.setdefault(key, len(self._keys))
        return NONE

    def arrays(self) -> Guards:
        """Return all guards and keys as arrays."""
        flat = [reference for references in self._references for reference in references]
        counts = [len(references) for references in self._references]
        columns = np.array(flat, np.int32).reshape(-1, 4).T
        programs = np.array(self._programs, np.int32).reshape(-1, 2).T
        keys = np.array(list(self._keys), np.int32).reshape(-1, 4).T
        return Guards(
            programs[0].copy(),
            programs[1].copy(),
            np.cumsum([0, *counts]).astype(np.int32),
            *(column.copy() for column in columns),
            *(column.copy() for column in keys),
        )


def _which(event: EventReference) -> tuple[int, int]:
    number = int(event.alias.removeprefix("#"))
    which = event.which if isinstance(event.which, int) else _WHICH[event.which]
    return number, which
