"""Messages in the syntax of PADRES: subscriptions and publications in square brackets.

`[class,=,job-status],[appl,=,payroll],[job-name,isPresent,*]` is a subscription, a conjunction of
predicates; `[class,job-status],[appl,payroll]` is a publication (Li and Jacobsen, "Composite
Subscriptions in Content-based Publish/Subscribe Systems", 2005, section 3.1). The names of
operators that the system itself uses (`eq`, `str-prefix`, …) are known too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NoReturn

from tocsin.errors import ConfigurationError, LanguageError
from tocsin.language.suggest import did_you_mean
from tocsin.language.tokens import place_of
from tocsin.language.tree import (
    And,
    Atom,
    Attribute,
    Comparison,
    Expression,
    Literal,
    Presence,
    Subscription,
    TextMatch,
    Variable,
)
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN

_COMPARISONS: Final = {
    "=": "=",
    "eq": "=",
    "!=": "!=",
    "<>": "!=",
    "≠": "!=",
    "neq": "!=",
    "<": "<",
    ">": ">",
    "<=": "<=",
    "≤": "<=",
    ">=": ">=",
    "≥": ">=",
    "str-lt": "<",
    "str-gt": ">",
    "str-le": "<=",
    "str-ge": ">=",
}
_TEXT_MATCHES: Final = {
    "str-contains": "CONTAINS",
    "str-prefix": "STARTS WITH",
    "str-suffix": "ENDS WITH",
    "str-postfix": "ENDS WITH",
}
_IS_PRESENT: Final = "ispresent"
OPERATORS: Final = (*_COMPARISONS, *_TEXT_MATCHES, "isPresent")

_QUOTED: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_BARE: Final = re.compile(r"[^,\[\]'\"()]+")
# A number with leading zeros is a word: they mean something in a code such as 007.
_NUMBER: Final = re.compile(r"[+-]?(?:0|[1-9]\d*|(?=\.\d))(\.\d+)?([eE][+-]?\d+)?")
# The system writes the type of a variable before its name, and may put all of it in quotes.
_VARIABLE: Final = re.compile(r"\$(?:[SIF]\$)?([^\W\d]\w*)")
_TYPED_VARIABLE: Final = re.compile(r"\$[SIF]\$([^\W\d]\w*)")


@dataclass(frozen=True, slots=True)
class _Field:
    """What stands between two commas, without its quotes."""

    text: str
    at: int
    quoted: bool = False


def subscription_from_padres(text: str, *, name: str) -> Subscription:
    """Return a PADRES subscription as a subscription to single events.

    `isPresent` asks only whether the attribute is there, whatever its value says.

    Raises
    ------
    LanguageError
        The text is no PADRES subscription.
    ConfigurationError
        The name is empty.

    Examples
    --------
    >>> from tocsin.language.printer import to_text
    >>> text = "([class,=,job-status],[appl,=,payroll],[job-name,isPresent,*])"
    >>> print(to_text(subscription_from_padres(text, name="payroll")))
    SUBSCRIBE payroll
    MATCH   [class = 'job-status' AND appl = 'payroll' AND "job-name" IS PRESENT];
    """
    if not isinstance(name, str) or not name:
        msg = f"{name!r} is not the name of a subscription; give a string that is not empty"
        raise ConfigurationError(msg)
    reader = _Reader(text)
    predicates = tuple(_predicate(reader, fields) for fields in reader.read())
    condition = predicates[0] if len(predicates) == 1 else And(predicates)
    return Subscription(name, Atom(condition=condition))


def publication_from_padres(text: str) -> dict[str, int | float | str]:
    """Return a PADRES publication as an event: names and values.

    Raises
    ------
    LanguageError
        The text is no PADRES publication.

    Examples
    --------
    >>> publication_from_padres("[class,job-status],[appl,payroll],[state,succ],[tries,2]")
    {'class': 'job-status', 'appl': 'payroll', 'state': 'succ', 'tries': 2}
    """
    reader = _Reader(text)
    event: dict[str, int | float | str] = {}
    for fields in reader.read():
        if len(fields) != 2:
            hint = "A publication has pairs such as [state,succ]."
            reader.fail("expected a name and a value", fields[-1].at, hint)
        name, value = fields
        if name.text in event:
            reader.fail(f"'{name.text}' stands here twice", name.at, "Keep one of them.")
        event[name.text] = _value(reader, value)
    return event


def _predicate(reader: _Reader, fields: list[_Field]) -> Expression:
    if len(fields) != 3:
        hint = "A subscription has triples such as [state,=,succ]; [job-name,isPresent,*] for any."
        reader.fail("expected a name, an operator and a value", fields[-1].at, hint)
    name, operator, value = fields
    attribute, sign = Attribute(name.text), operator.text.lower()
    if sign == _IS_PRESENT:
        return Presence(attribute, present=True)
    if sign in _COMPARISONS:
        operand = _operand(reader, value, as_text=sign.startswith("str-"))
        return Comparison(_COMPARISONS[sign], attribute, operand)  # type: ignore[arg-type]
    if sign in _TEXT_MATCHES:
        operand = _operand(reader, value, as_text=True)
        return TextMatch(_TEXT_MATCHES[sign], attribute, operand)  # type: ignore[arg-type]
    hint = did_you_mean(sign, OPERATORS) or f"The operators are {' '.join(OPERATORS)}."
    return reader.fail(f"unknown operator '{operator.text}'", operator.at, hint)


def _operand(reader: _Reader, field: _Field, *, as_text: bool) -> Expression:
    variable = (_TYPED_VARIABLE if field.quoted else _VARIABLE).fullmatch(field.text)
    if variable:
        return Variable(variable[1])
    if field.text.startswith("$") and not field.quoted:
        reader.fail(f"'{field.text}' is not a variable", field.at, "Write it as in $X.")
    if as_text and not field.quoted and field.text != "*":
        return Literal(field.text)
    return Literal(_value(reader, field))


def _value(reader: _Reader, field: _Field) -> int | float | str:
    if field.quoted:
        return field.text
    if field.text == "*":
        reader.fail("'*' is not a value", field.at, "Write [name,isPresent,*] for any value.")
    if field.text.startswith("$"):
        reader.fail("a variable is not a value", field.at, "Only a subscription has variables.")
    number = _NUMBER.fullmatch(field.text)
    if number is None:
        return field.text
    return _number(reader, field, whole=number[1] is None and number[2] is None)


def _number(reader: _Reader, field: _Field, *, whole: bool) -> int | float:
    number = int(field.text) if whole and len(field.text) <= 20 else float(field.text)
    too_large = whole and not INTEGER_MIN <= number <= INTEGER_MAX
    if too_large or number in {float("inf"), float("-inf")}:
        hint = "Put it in quotes if it is a name."
        reader.fail("this number is larger than 64 bits can hold", field.at, hint)
    return number


class _Reader:
    """Reads the bracketed groups of a message."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self, what: str, at: int, hint: str) -> NoReturn:
        """Raise an error at an offset."""
        line, column, source = place_of(self.text, at)
        raise LanguageError(what, source, line, column, hint)

    def read(self) -> list[list[_Field]]:
        """Return the fields of all groups, which stand in any number of parentheses."""
        opened = self._count("(")
        groups = [self._group()]
        while self._accept(",") or self._peek() == "[":
            groups.append(self._group())
        closed = self._count(")")
        self._accept(";")
        if self._peek() or opened != closed:
            self._refuse_rest(opened, closed)
        return groups

    def _refuse_rest(self, opened: int, closed: int) -> NoReturn:
        if self._peek():
            hint = "Groups are separated by commas: [class,=,stock],[price,>,10]."
            self.fail(f"expected ',' or the end, found '{self._peek()}'", self.at, hint)
        what = f"{opened} opening and {closed} closing parentheses"
        self.fail(what, max(self.at - 1, 0), "Close each parenthesis, or leave them out.")

    def _group(self) -> list[_Field]:
        if not self._accept("["):
            found = f"'{self._peek()}'" if self._peek() else "the end of the text"
            hint = "A message is a list of groups in brackets, as in [class,=,stock]."
            self.fail(f"expected '[', found {found}", self.at, hint)
        fields = [self._field()]
        while self._accept(","):
            fields.append(self._field())
        if not self._accept("]"):
            found = f"'{self._peek()}'" if self._peek() else "the end of the text"
            hint = "Close the group; a value with such a character stands in quotes."
            self.fail(f"expected ',' or ']', found {found}", self.at, hint)
        return fields

    def _field(self) -> _Field:
        self._skip_space()
        begin = self.at
        quoted = _QUOTED.match(self.text, begin)
        if quoted:
            self.at = quoted.end()
            mark = quoted[0][0]
            return _Field(quoted[0][1:-1].replace(mark * 2, mark), begin, quoted=True)
        bare = _BARE.match(self.text, begin)
        if bare is None:
            hint = "Between two commas stands a name, an operator or a value."
            self.fail("expected a name or a value", begin, hint)
        self.at = bare.end()
        return _Field(bare[0].strip(), begin)

    def _count(self, sign: str) -> int:
        count = 0
        while self._accept(sign):
            count += 1
        return count

    def _accept(self, sign: str) -> bool:
        if self._peek() != sign:
            return False
        self.at += 1
        return True

    def _peek(self) -> str:
        self._skip_space()
        return self.text[self.at : self.at + 1]

    def _skip_space(self) -> None:
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
