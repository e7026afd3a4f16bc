"""Statements and programs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar, get_args
from typing import Literal as OneOf

from tocsin.language.builder.base import Built, refuse
from tocsin.language.builder.clauses import (
    Emitted,
    Moment,
    Source,
    choice_of,
    combine_of,
    emit_of,
    match_limit_of,
    sources_of,
)
from tocsin.language.builder.clauses import since as since_of
from tocsin.language.builder.patterns import Part, pattern_of
from tocsin.language.builder.values import (
    Amount,
    Operand,
    expression_of,
    limit_of,
    name_of,
    number_of,
)
from tocsin.language.parser import parse
from tocsin.language.tree import (
    AttributeDeclaration,
    Combine,
    Definition,
    Expression,
    FuzzySet,
    MatchLimit,
    Predict,
    Program,
    Statement,
    StreamDeclaration,
    Subscription,
    Thresholds,
)
from tocsin.model.values import Kind

_T = TypeVar("_T")
_Duplicates: TypeAlias = OneOf["ALL", "FIRST", "LAST"]
_Pairs: TypeAlias = OneOf["ALL", "UNIQUE", "SEPARATE"]
_KIND_OF_TYPE: Final[dict[object, Kind]] = {
    str: Kind.STRING,
    int: Kind.INTEGER,
    float: Kind.FLOAT,
    bool: Kind.BOOLEAN,
    dt.datetime: Kind.TIMESTAMP,
}
_KIND_OF_NAME: Final = {kind.value: kind for kind in _KIND_OF_TYPE.values()}


@dataclass(frozen=True, slots=True, repr=False)
class BuiltStatement(Built[Statement]):
    """A statement; a DEFINE and a STREAM can be used where their name is asked for."""

    @property
    def name(self) -> str:
        """The name that the statement gives."""
        return self.tree.name


@dataclass(frozen=True, slots=True, repr=False)
class BuiltProgram(Built[Program]):
    """A program: statements in their order."""

    @property
    def statements(self) -> tuple[BuiltStatement, ...]:
        """The statements, each wrapped."""
        return tuple(map(BuiltStatement, self.tree.statements))


def stream(
    name: str, attributes: Mapping[str, str | Kind | type], *, time: str | None = None
) -> BuiltStatement:
    """Return the declaration of a stream; types are those of the language or of Python.

    Examples
    --------
    >>> print(stream("logins", {"ts": "TIMESTAMP", "ip": str, "port": int}, time="ts"))
    STREAM logins (ts TIMESTAMP, ip STRING, port INTEGER) TIME ts;
    """
    if not isinstance(attributes, Mapping) or not attributes:
        refuse(
            attributes, "attributes and their types", "write {'ts': 'TIMESTAMP', 'ip': 'STRING'}"
        )
    declared = tuple(
        AttributeDeclaration(name_of(attribute, "an attribute"), _kind(kind))
        for attribute, kind in attributes.items()
    )
    clock = None if time is None else name_of(time, "an attribute")
    return BuiltStatement(StreamDeclaration(name_of(name, "the name of a stream"), declared, clock))


def _kind(kind: object) -> Kind:
    if isinstance(kind, str):
        found = _KIND_OF_NAME.get(kind.upper())
    elif isinstance(kind, Kind):
        found = _KIND_OF_NAME.get(kind.value)
    else:
        found = _KIND_OF_TYPE.get(kind) if isinstance(kind, type) else None
    if found is None:
        refuse(kind, "a type", f"the types are {', '.join(_KIND_OF_NAME)}")
    return found


def define(name: str, condition: Operand) -> BuiltStatement:
    """Return a named filter, which can then be used as a condition and as an atom.

    Examples
    --------
    >>> from tocsin.language import builder as b
    >>> denied = b.define("denied", b.attr.status == "denied")
    >>> print(denied)
    DEFINE denied AS status = 'denied';
    >>> b.event("d", denied, ip=b.var("x"))
    BuiltPattern(d:[denied AND ip = $x])
    """
    return BuiltStatement(Definition(name_of(name, "a name"), expression_of(condition)))


def fuzzy(name: str, *parameters: float, on: str, shape: str) -> BuiltStatement:
    """Return the definition of a fuzzy set.

    Examples
    --------
    >>> inf = float("inf")
    >>> print(fuzzy("cheap", -inf, -inf, 1200, 1500, on="rent", shape="trapezoid"))
    FUZZY cheap ON rent AS trapezoid(-inf, -inf, 1200, 1500);
    """
    if not parameters:
        refuse(parameters, "the numbers of a shape", "give them behind the name")
    names = name_of(name, "a name"), name_of(on, "an attribute")
    kind = name_of(shape, "a shape").lower()
    return BuiltStatement(FuzzySet(*names, kind, tuple(map(number_of, parameters))))


def subscribe(  # noqa: PLR0913 - each is one clause of the language
    name: str,
    pattern: Part,
    *,
    source: Source | Sequence[Source] | None = None,
    where: Operand | None = None,
    within: Amount | None = None,
    duplicates: str = "ALL",
    pairs: str = "ALL",
    limit: int | Built[Expression] | MatchLimit | None = None,
    per: str | Built[Expression] | None = None,
    accept: Thresholds | None = None,
    combine: str | Combine | None = None,
    emit: Emitted | None = None,
    into: Source | None = None,
    predict: Predict | None = None,
    since: Moment | None = None,
) -> BuiltStatement:
    """Return a subscription; its name may hold parameters in braces, as in `"alert_{user}"`.

    Examples
    --------
    >>> from tocsin.language import builder as b
    >>> x = b.var("x")
    >>> denied, success = b.event("d", status="denied", ip=x), b.event("s", status="success", ip=x)
    >>> print(b.subscribe(
    ...     "intrusion",
    ...     b.then_any(denied.times(3, by=";"), success),
    ...     source="logins",
    ...     within="1 hour",
    ...     emit={"ip": x, "entered": b.t(success)},
    ...     into="alerts",
    ... ))
    SUBSCRIBE intrusion FROM logins
    MATCH   d:[status = 'denied' AND ip = $x]{3} BY ; ; s:[status = 'success' AND ip = $x]
    WITHIN  1 hour
    EMIT    $x AS ip, t(s) AS entered INTO alerts;
    """
    items = emit_of(emit)
    if into is not None and not items:
        refuse(into, "enough", "INTO needs EMIT: give `emit` too")
    return BuiltStatement(
        Subscription(
            name_of(name, "the name of a subscription"),
            pattern_of(pattern),
            sources_of(source),
            None if where is None else expression_of(where),
            None if within is None else limit_of(within),
            choice_of(duplicates, get_args(_Duplicates), "a policy of DUPLICATES"),
            choice_of(pairs, get_args(_Pairs), "a policy of PAIRS"),
            match_limit_of(limit, per),
            _node(accept, Thresholds, "b.accept(possibly=0.5)"),
            combine_of(combine),
            items,
            None if into is None else name_of(into, "a stream"),
            _node(predict, Predict, "b.predict(within='20 events', above=0.8)"),
            None if since is None else since_of(since),
        )
    )


def _node(value: object, kind: type[_T], instead: str) -> _T | None:
    if value is not None and not isinstance(value, kind):
        refuse(value, "what this clause takes", f"write {instead}")
    return value


def program(*statements: Built[Statement] | Built[Program] | Statement | Program) -> BuiltProgram:
    """Return statements, and those of other programs, as one program.

    Examples
    --------
    >>> hot = define("hot", parse("DEFINE hot AS x > 30").definitions[0].condition)
    >>> print(program(hot, subscribe("alarm", hot)))
    DEFINE hot AS x > 30;
    <BLANKLINE>
    SUBSCRIBE alarm
    MATCH   hot;
    """
    found: list[Statement] = []
    for statement in statements:
        tree = statement.tree if isinstance(statement, Built) else statement
        if isinstance(tree, Program):
            found += tree.statements
        elif isinstance(tree, get_args(Statement)):
            found.append(tree)
        else:
            refuse(statement, "a statement", "give what b.subscribe, b.define … returned")
    return BuiltProgram(Program(tuple(found)))


def from_text(text: str) -> BuiltProgram:
    """Return the program that a text says.

    Raises
    ------
    LanguageError
        The text is no program.

    Examples
    --------
    >>> from_text("SUBSCRIBE hot MATCH [x > 30]").statements[0].name
    'hot'
    """
    return BuiltProgram(parse(text))
