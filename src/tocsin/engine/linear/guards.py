"""Guards: the dynamic parts of tests, as programs over a scratch row with slots for references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tocsin.engine.columns import Vocabulary
from tocsin.engine.index.hashing import sized
from tocsin.engine.index.slices import Slices
from tocsin.engine.linear.arrays import (
    AVERAGE,
    COUNT,
    FIRST_EVENT,
    GREATEST,
    LAST_EVENT,
    LEAST,
    NONE,
    REGISTER,
    SPAN,
    SUM,
    Guards,
)
from tocsin.language.rewrite import rewrite
from tocsin.language.tree import (
    Aggregate,
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
_FUNCTIONS: Final = {"count": COUNT, "sum": SUM, "avg": AVERAGE, "min": LEAST, "max": GREATEST}

_Reference = tuple[int, int, int, int]


def slot_name(number: int) -> str:
    """Return the name of the attribute that stands for a reference in the scratch row."""
    return f"$slot {number}"


class GuardStore:
    """Takes guards, keys and registers in, each once, and gives them as arrays.

    Guards are counted and let go; keys and registers, of which there are few, stay.

    Parameters
    ----------
    vocabulary
        Numbers attributes.
    take_program, give_program
        Store a program, and count one use less of the one that starts there.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        take_program: Callable[[Program], tuple[int, int]],
        give_program: Callable[[int], None],
    ) -> None:
        self.vocabulary = vocabulary
        self._take_program = take_program
        self._give_program = give_program
        self._guards: dict[tuple[Expression, ...], int] = {}
        self._conditions: dict[int, tuple[Expression, ...]] = {}
        self._uses: dict[int, int] = {}
        self._free: list[int] = []
        self._rows = np.zeros((4, 4), np.int32)  # program start and end, first reference, count
        self._references = Slices(4, np.int32)
        self._keys: dict[_Reference, int] = {}
        self._registers: dict[tuple[int, int, int], int] = {}

    @property
    def size(self) -> int:
        """How many guards there are."""
        return len(self._guards)

    @property
    def registers(self) -> int:
        """How many registers there are."""
        return len(self._registers)

    @property
    def nbytes(self) -> int:
        """The memory of its arrays."""
        return int(self._rows.nbytes + self._references.rows.nbytes)

    def take(self, conditions: tuple[Expression, ...], count: int = 1) -> int:
        """Return the number of the guard that holds where all conditions do, NONE for none.

        It counts so many uses more.
        """
        if not conditions:
            return NONE
        number = self._guards.get(conditions)
        if number is None:
            number = self._new()
            self._guards[conditions], self._conditions[number] = number, conditions
            self._add(number, conditions)
        self._uses[number] = self._uses.get(number, 0) + count
        return number

    def take_again(self, number: int) -> None:
        """Count one use more."""
        self._uses[number] += 1

    def give_back(self, number: int) -> None:
        """Count one use less; the last one lets the guard go."""
        if number == NONE:
            return
        self._uses[number] -= 1
        if self._uses[number] > 0:
            return
        start, _, first, count = self._rows[number].tolist()
        self._give_program(start)
        if count:
            self._references.give_back(first, count)
        del self._uses[number], self._guards[self._conditions.pop(number)]
        self._free.append(number)

    def _new(self) -> int:
        if self._free:
            return self._free.pop()
        number = len(self._uses)
        if number >= len(self._rows):
            self._rows = sized(self._rows, 2 * number, 0)
        return number

    def _add(self, number: int, conditions: tuple[Expression, ...]) -> None:
        references: list[_Reference] = []

        def change(node: Any) -> Any:
            match node:
                case MatchDuration():
                    return self._slot(references, 0, SPAN, 0)
                case OfEvent(event, attribute):
                    leaf, which = _which(event)
                    own = self.vocabulary.attribute(attribute)
                    return self._slot(references, leaf, which, own)
                case Aggregate():
                    return self._slot(references, self._register(node), REGISTER, 0)
            return None

        whole = conditions[0] if len(conditions) == 1 else And(conditions)
        program = compile_condition(rewrite(whole, change))
        first = 0
        if references:
            first = self._references.take(np.array(references, np.int32))
        self._rows[number] = (*self._take_program(program), first, len(references))

    def _slot(
        self, references: list[_Reference], leaf: int, which: int, attribute: int
    ) -> Attribute:
        name = slot_name(len(references))
        references.append((leaf, which, attribute, self.vocabulary.attribute(name)))
        return Attribute(name)

    def _register(self, node: Aggregate) -> int:
        function = COUNT if node.attribute is None else _FUNCTIONS[node.function]
        return self.register(function, int(node.alias.removeprefix("#")), node.attribute or "")

    def register(self, function: int, leaf: int, attribute: str) -> int:
        """Return the register of a function of an attribute of an atom, a new one if need be."""
        own = self.vocabulary.attribute(attribute) if attribute else 0
        return self._registers.setdefault((function, leaf, own), len(self._registers))

    def named_registers(self) -> list[tuple[int, int, str]]:
        """Return function, atom and attribute of each register."""
        names = self.vocabulary.attribute_names()
        return [(f, leaf, names[own] if own else "") for f, leaf, own in self._registers]

    def key(self, condition: Expression) -> int:
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
        keys = np.array(list(self._keys), np.int32).reshape(-1, 4)
        registers = np.array(list(self._registers), np.int32).reshape(-1, 3)
        return Guards(self._rows, self._references.rows, keys, registers)


def _which(event: EventReference) -> tuple[int, int]:
    number = int(event.alias.removeprefix("#"))
    which = event.which if isinstance(event.which, int) else _WHICH[event.which]
    return number, which
