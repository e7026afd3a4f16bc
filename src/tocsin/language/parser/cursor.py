"""The reading position in the tokens, and the errors that can happen there."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from tocsin.errors import DurationError, LanguageError
from tocsin.language.suggest import nearest
from tocsin.language.tokens import (
    BAD,
    DURATION,
    END,
    NAME,
    NUMBER,
    STRING,
    Tokens,
    is_word,
    place_of,
)
from tocsin.model.durations import US_OF_UNIT, duration_of, parse_duration
from tocsin.model.values import INTEGER_MAX, Duration

# Deep enough for any program a person writes; shallow enough for every recursive walk of a tree.
MAX_DEPTH: Final = 64
_SHOWN_TEXT: Final = 30
_UNUSUAL_NAME: Final = re.compile(r"[^\W\d][\w{}]*(?:[-.][\w{}]+)+")
_UNUSUAL_SIGN: Final = re.compile(r"[-.]")
# Signs that editors and other languages put where tocsin has another one.
_HINT_OF_SIGN: Final = {
    "#": "A comment begins with --.",
    "\ufeff": "Save the text as UTF-8 without a byte order mark.",
    **dict.fromkeys("‘’‚`´", "Strings stand in straight single quotes, as in 'denied'."),
    **dict.fromkeys("“”„«»", "Strings stand in 'single quotes', unusual names in double ones."),
    **dict.fromkeys("→⇒➝", "Write -> for 'the first later event'."),
    **dict.fromkeys("–—−", "Write - for minus."),
    "≤": "Write <=.",
    "≥": "Write >=.",
    "≠": "Write !=.",
    "~": "Write LIKE 'a%' or MATCHES 'regular expression'.",
    "^": "Write [NOT (…)] for any other event, ! for an absence.",
}


class Problem(Exception):
    """A syntax error on its way to the statement that holds it."""

    def __init__(self, what: str, at: int, hint: str = "") -> None:
        super().__init__(what, at, hint)
        self.what, self.at, self.hint = what, at, hint

    def located(self, source: str) -> LanguageError:
        """Return the error with its line and column."""
        line, column, text = place_of(source, self.at)
        return LanguageError(self.what, text, line, column, self.hint)


class Cursor:
    """Reads tokens one after the other."""

    def __init__(self, tokens: Tokens) -> None:
        self.source = tokens.source
        self.keys = tokens.keys
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.index = 0
        self.depth = 0

    def fail(self, what: str, at: int, hint: str = "") -> NoReturn:
        """Raise a problem at an offset."""
        raise Problem(what, at, hint)

    def fail_here(self, expected: str, hint: str = "") -> NoReturn:
        """Raise `expected …, found …` at the current token."""
        self.fail(f"expected {expected}, found {self.found()}", self.starts[self.index], hint)

    def found(self) -> str:
        """Describe the current token for a message; a broken one is a problem of its own."""
        key, text = self.keys[self.index], self.texts[self.index]
        at = self.starts[self.index]
        if key == END:
            return "the end of the text"
        if key == BAD:
            self._fail_on_bad(text, at)
        shown = text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 1] + "…"
        return shown if key in {STRING, NAME} else f"'{shown}'"

    def _fail_on_bad(self, text: str, at: int) -> NoReturn:
        if text == "'":
            self.fail("the string that begins here never ends", at, "Close it with a single quote.")
        if text == '"':
            hint = "Close it with a double quote; strings stand in single quotes."
            self.fail("the quoted name that begins here never ends", at, hint)
        if text == "$":
            self.fail("expected the name of a variable after '$'", at, "Write it as in $x.")
        if text.isdigit():
            hint = "A name begins with a letter; a number ends before a letter, as in 5 min."
            self.fail("a number or name that cannot be read", at, hint)
        hint = _HINT_OF_SIGN.get(text, "Remove it.")
        self.fail(f"the character {text!r} has no meaning here", at, hint)

    def enter(self) -> None:
        """Go one level deeper; `leave` comes back."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            what = f"nested more than {MAX_DEPTH} levels deep"
            self.fail(what, self.starts[self.index], "Name parts of it with DEFINE, or split it.")

    def leave(self) -> None:
        """Come back from a level."""
        self.depth -= 1

    def at(self) -> int:
        """Return the offset of the current token."""
        return self.starts[self.index]

    def key_ahead(self, count: int) -> str:
        """Return the key so many tokens further on, at most that of the end."""
        return self.keys[min(self.index + count, len(self.keys) - 1)]

    def accept(self, key: str) -> bool:
        """Pass over a token if it is the given one."""
        if self.keys[self.index] == key:
            self.index += 1
            return True
        return False

    def expect(self, key: str, hint: str = "") -> None:
        """Pass over the given token or fail."""
        if self.keys[self.index] == key:
            self.index += 1
            return
        self.fail_here(f"'{key}'" if not is_word(key) else key, hint)

    def close_parenthesis(self, begin: int) -> None:
        """Pass over a closing parenthesis, or fail and say where the opening one stands."""
        if not self.accept(")"):
            line, column, _ = place_of(self.source, begin)
            self.fail_here("')'", f"It closes the '(' in line {line}, column {column}.")

    def name(self, what: str) -> str:
        """Read a name: a word, or anything in double quotes."""
        key, text = self.keys[self.index], self.texts[self.index]
        if is_word(key):
            self.index += 1
            return text
        if key == NAME:
            return self._quoted_name(text)
        hint = "A name begins with a letter; any other one stands in double quotes."
        return self.fail_here(what, hint)

    def _quoted_name(self, text: str) -> str:
        if len(text) == len('""'):
            hint = "Write a name between the double quotes; an empty string is ''."
            self.fail("a name cannot be empty", self.at(), hint)
        self.index += 1
        return text[1:-1].replace('""', '"')

    def refuse_hyphen(self) -> None:
        """Fail where a name such as my-alert goes on with a sign that no plain name holds."""
        if self.keys[self.index] not in {"-", "."}:
            return
        begin = self.starts[self.index - 1]
        found = _UNUSUAL_NAME.match(self.source, begin)
        if found is not None and found.end() > self.at():
            sign, plain = self.texts[self.index], _UNUSUAL_SIGN.sub("_", found[0])
            what = f"a name with '{sign}' in it stands in double quotes"
            self.fail(what, begin, f'Write "{found[0]}" or {plain}.')

    def integer(self, what: str, hint: str = "") -> int:
        """Read a whole number."""
        text = self.texts[self.index]
        if self.keys[self.index] != NUMBER or not text.isdigit():
            self.fail_here(what, hint or "Write a whole number.")
        if len(text) > len(str(INTEGER_MAX)) or int(text) > INTEGER_MAX:
            hint = f"The largest is {INTEGER_MAX}."
            self.fail("this number is larger than 64 bits can hold", self.at(), hint)
        self.index += 1
        return int(text)

    def real(self, what: str) -> float:
        """Read a number with an optional sign, as a float; `inf` is one."""
        sign = -1.0 if self.accept("-") else 1.0
        if self.keys[self.index] == "INF":
            self.index += 1
            return sign * float("inf")
        if self.keys[self.index] != NUMBER:
            self.fail_here(what, "Write a number, such as 0.5.")
        self.index += 1
        return sign * float(self.texts[self.index - 1])

    def at_duration(self) -> bool:
        """Say whether a duration stands here: `1h30m`, or a number and a unit."""
        key = self.keys[self.index]
        if key == DURATION:
            return True
        return key == NUMBER and self.texts[self.index + 1].lower() in US_OF_UNIT

    def duration(self) -> Duration:
        """Read a duration; its parts add up, as in `1 h 30 min`."""
        begin = self.at()
        if not self.at_duration():
            hint = "Write a number and a unit, such as 5 min, 1h30m or 500 ms."
            if self.keys[self.index] == STRING:
                hint = "Leave out the quotes: a number and a unit, such as 5 min."
            self._fail_on_unit()
            self.fail_here("a duration", hint)
        total = 0
        while self.at_duration():
            total += self._duration_part()
        if total > INTEGER_MAX:
            what = "this duration is longer than 64 bits of microseconds can hold"
            self.fail(what, begin, "Write a shorter one.")
        return Duration(total)

    def _fail_on_unit(self) -> None:
        if self.keys[self.index] == NUMBER and is_word(self.keys[self.index + 1]):
            number, unit = self.texts[self.index], self.texts[self.index + 1]
            try:
                duration_of(number, unit)
            except DurationError as error:
                self.fail(str(error), self.starts[self.index + 1], _hint_for_unit(unit))

    def _duration_part(self) -> Duration:
        begin, text = self.at(), self.texts[self.index]
        try:
            if self.keys[self.index] == DURATION:
                self.index += 1
                return parse_duration(text)
            self.index += 2
            return duration_of(text, self.texts[self.index - 1])
        except DurationError as error:
            return self.fail(str(error), begin, "Write it as in 5 min, 1h30m or 500 ms.")


def _hint_for_unit(unit: str) -> str:
    if unit.lower().rstrip("s") in {"month", "mon", "year", "yr", "y"}:
        return "Months and years differ in length: write days or weeks."
    near = nearest(unit, US_OF_UNIT)
    return f"Did you mean '{near}'?" if near else "Write it as in 5 min, 1h30m or 500 ms."
