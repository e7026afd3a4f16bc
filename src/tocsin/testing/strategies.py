"""Hypothesis strategies for syntax trees over the whole language.

What they draw is well formed, not meaningful: every tree can be printed and read again, but most
would not pass the checker. They serve whoever prints, reads or rewrites trees.
Needs `hypothesis`, which is in the extra `tocsin[dev]`.

Examples
--------
>>> from hypothesis import given
>>> from tocsin.language import parser, printer
>>> @given(programs())
... def text_and_tree_say_the_same(program):
...     assert parser.parse(printer.to_text(program)) == program
>>> text_and_tree_say_the_same()
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final, TypeVar

from hypothesis import strategies as st

from tocsin.language.tokens import RESERVED
from tocsin.language.tree import (
    Absence,
    Aggregate,
    And,
    Arithmetic,
    Atom,
    Attribute,
    AttributeDeclaration,
    Between,
    Call,
    Combine,
    Comparison,
    Condition,
    Conjunction,
    Definition,
    Disjunction,
    EmitItem,
    EventReference,
    Expression,
    FuzzySet,
    InCidr,
    InList,
    Iteration,
    Limit,
    Link,
    Literal,
    MatchDuration,
    MatchLimit,
    Negative,
    Not,
    Nth,
    OfEvent,
    Or,
    Parameter,
    Pattern,
    Predict,
    Presence,
    Program,
    Repeat,
    Sequence,
    Since,
    Span,
    Statement,
    StreamDeclaration,
    Subscription,
    TextMatch,
    Thresholds,
    TimeOf,
    Vague,
    Variable,
)
from tocsin.model.times import parse_time
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Duration, Kind, Timestamp

_T = TypeVar("_T")
_PLAIN: Final = st.sampled_from(["a", "b", "x", "price", "Größe", "_n", "t", "min", "count", "first"])
_WORDS: Final = st.sampled_from(sorted(RESERVED)).flatmap(
    lambda word: st.sampled_from([word, word.lower(), word.title()])
)
_DECLARED: Final = (Kind.STRING, Kind.INTEGER, Kind.FLOAT, Kind.BOOLEAN, Kind.TIMESTAMP)
_ZONES: Final = st.integers(-1439, 1439).map(lambda m: dt.timezone(dt.timedelta(minutes=m)))
# A sheet of all counts that the grammar takes without a sign.
_COUNTS: Final = st.integers(0, 12) | st.just(INTEGER_MAX)


def names() -> st.SearchStrategy[str]:
    """Names of all sorts: plain words, reserved words, and what must stand in double quotes."""
    return _PLAIN | _PLAIN | _WORDS | st.text(min_size=1, max_size=6)


def variable_names() -> st.SearchStrategy[str]:
    """Names that can stand behind a `$`."""
    return _PLAIN | st.from_regex(r"[^\W\d]\w{0,5}", fullmatch=True)


def durations() -> st.SearchStrategy[Duration]:
    """Durations without a sign."""
    micros = st.integers(0, INTEGER_MAX) | st.integers(0, 200).map(lambda n: n * 60_000_000)
    return micros.map(Duration)


def timestamps() -> st.SearchStrategy[Timestamp]:
    """All moments that ISO text can say, those beyond the years of UTC included."""
    return st.datetimes(timezones=_ZONES).map(parse_time)


def values() -> st.SearchStrategy[Any]:
    """Constants of every kind."""
    signed = st.tuples(durations(), st.sampled_from([1, -1])).map(lambda d: Duration(d[0] * d[1]))
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    whole = st.integers(-9, 9) | st.integers(INTEGER_MIN, INTEGER_MAX)
    return st.booleans() | whole | numbers | st.text(max_size=8) | timestamps() | signed


def parameters() -> st.SearchStrategy[Parameter]:
    """Places that a table fills."""
    return names().map(Parameter)


def expressions() -> st.SearchStrategy[Expression]:
    """Expressions of every form.

    Examples
    --------
    >>> from hypothesis import find
    >>> type(find(expressions(), lambda tree: isinstance(tree, Between) and tree.negated)).__name__
    'Between'
    """
    return _EXPRESSIONS


def patterns() -> st.SearchStrategy[Pattern]:
    """Patterns of every form."""
    return _PATTERNS


def statements() -> st.SearchStrategy[Statement]:
    """Statements of every kind."""
    return subscriptions() | _stream_declarations() | _definitions() | _fuzzy_sets()


def programs(*, max_size: int = 4) -> st.SearchStrategy[Program]:
    """Programs of a few statements, none included."""
    return _tuples(statements(), max_size=max_size).map(Program)


def limits() -> st.SearchStrategy[Limit]:
    """Limits of time and of a number of events."""
    amounts = {"time": durations() | parameters(), "events": _COUNTS | parameters()}
    units = st.sampled_from(["time", "events"])
    return units.flatmap(lambda unit: st.builds(Limit, st.just(unit), amounts[unit]))


def thresholds() -> st.SearchStrategy[Thresholds]:
    """One threshold or both."""
    both = st.builds(Thresholds, _reals(), _reals())
    return both | st.builds(Thresholds, _reals(), st.none()) | st.builds(Thresholds, st.none(), _reals())


def subscription_names() -> st.SearchStrategy[str]:
    """Names with and without parameters in braces."""
    piece = _PLAIN | _WORDS | parameters().map(lambda parameter: f"{{{parameter.name}}}")
    return names() | st.lists(piece, min_size=1, max_size=3).map("".join)


def subscriptions() -> st.SearchStrategy[Subscription]:
    """Subscriptions with any choice of clauses."""
    output = st.tuples(_tuples(_emit_items(), 1, 5), st.none() | names()) | st.just(((), None))
    clauses = st.fixed_dictionaries(
        {"name": subscription_names(), "pattern": patterns()},
        optional={
            "sources": _tuples(names(), 1, 3),
            "where": expressions(),
            "within": limits(),
            "duplicates": st.sampled_from(["ALL", "FIRST", "LAST"]),
            "pairs": st.sampled_from(["ALL", "UNIQUE", "SEPARATE"]),
            "limit": st.builds(MatchLimit, _COUNTS | parameters(), st.none() | variable_names()),
            "accept": thresholds(),
            "combine": _combines(),
            "predict": st.builds(Predict, limits(), _reals()),
            "since": st.builds(Since, st.none() | timestamps(), st.booleans()),
        },
    )
    return st.builds(
        lambda fields, made: Subscription(**fields, emit=made[0], into=made[1]), clauses, output
    )


def _tuples(
    parts: st.SearchStrategy[_T], min_size: int = 0, max_size: int = 3
) -> st.SearchStrategy[tuple[_T, ...]]:
    return st.lists(parts, min_size=min_size, max_size=max_size).map(tuple)


def _reals() -> st.SearchStrategy[float]:
    return st.floats(0, 1) | st.floats(allow_nan=False) | st.integers(-5, 2000).map(float)


def _events() -> st.SearchStrategy[EventReference]:
    which = st.none() | _COUNTS | st.sampled_from(["first", "last", "prev"])
    return st.builds(EventReference, names(), which)


def _leaves() -> st.SearchStrategy[Expression]:
    aggregates = st.sampled_from(["sum", "avg", "min", "max"])
    return st.one_of(
        values().map(Literal),
        names().map(Attribute),
        variable_names().map(Variable),
        parameters(),
        st.builds(OfEvent, _events(), names()),
        st.builds(TimeOf, st.sampled_from(["t", "begin", "end"]), _events()),
        st.just(MatchDuration()),
        st.builds(Aggregate, aggregates, names(), names()),
        st.builds(Aggregate, st.just("count"), names(), st.none()),
    )


def _around_values(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    one_of = st.sampled_from
    return st.one_of(
        st.builds(Call, one_of(["abs", "lower", "upper", "length"]), st.tuples(inner)),
        st.builds(Call, one_of(["min", "max"]), _tuples(inner, 2)),
        st.builds(Negative, inner),
        st.builds(Arithmetic, one_of(["+", "-", "*", "/", "%"]), inner, inner),
    )


def _around_conditions(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    one_of, texts = st.sampled_from, ["CONTAINS", "STARTS WITH", "ENDS WITH", "LIKE", "MATCHES"]
    hedges = _tuples(one_of(["very", "somewhat"]))
    return st.one_of(
        st.builds(Comparison, one_of(["=", "!=", "<", "<=", ">", ">="]), inner, inner),
        st.builds(Between, inner, inner, inner, st.booleans()),
        st.builds(InList, inner, _tuples(inner, 1), st.booleans()),
        st.builds(InCidr, inner, inner, st.booleans()),
        st.builds(Presence, inner, st.booleans()),
        st.builds(TextMatch, one_of(texts), inner, inner, st.booleans()),
        st.builds(Vague, inner, names(), hedges, st.booleans(), st.none() | thresholds()),
        st.builds(Not, inner),
        st.builds(And, _tuples(inner, 2)),
        st.builds(Or, _tuples(inner, 2)),
    )


_EXPRESSIONS: Final[st.SearchStrategy[Expression]] = st.recursive(
    _leaves(), lambda inner: _around_values(inner) | _around_conditions(inner), max_leaves=8
)


def links() -> st.SearchStrategy[Link]:
    """Links of every kind, with and without a condition."""
    plain = st.sampled_from([Link(","), Link("->"), Link(";")])
    return plain | st.builds(Link, st.just("->"), _EXPRESSIONS)


def _atoms() -> st.SearchStrategy[Pattern]:
    maybe = st.none() | names()
    filtered = st.builds(Atom, maybe, _EXPRESSIONS, st.none(), maybe)
    return filtered | st.builds(Atom, maybe, st.none(), names())


def _sequences(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    same_kind = {
        ",": st.just(Link(",")),
        "->": st.just(Link("->")) | st.builds(Link, st.just("->"), _EXPRESSIONS),
        ";": st.just(Link(";")),
    }
    return st.tuples(st.sampled_from([",", "->", ";"]), _tuples(inner, 2)).flatmap(
        lambda drawn: st.builds(
            Sequence, st.just(drawn[1]), st.tuples(*[same_kind[drawn[0]]] * (len(drawn[1]) - 1))
        )
    )


def _around_patterns(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    until = st.none() | _EXPRESSIONS
    steps = values().filter(
        lambda step: isinstance(step, int | float) and not isinstance(step, bool | Timestamp)
    )
    amounts = durations() | parameters()
    return st.one_of(
        st.builds(Iteration, inner, _COUNTS, st.none() | _COUNTS, links(), until),
        st.builds(Iteration, inner, st.integers(0, 1), st.none() | st.just(1)),
        st.builds(Condition, inner, _EXPRESSIONS),
        st.builds(Span, inner, limits()),
        st.builds(Absence, inner),
        st.builds(Absence, inner, amounts, st.none() | amounts),
        _sequences(inner),
        st.builds(Nth, _COUNTS, inner),
        st.builds(Repeat, inner, _COUNTS, names(), steps, st.none() | links()),
        st.builds(Conjunction, _tuples(inner, 2)),
        st.builds(Disjunction, _tuples(inner, 2)),
    )


_PATTERNS: Final[st.SearchStrategy[Pattern]] = st.recursive(
    _atoms(), _around_patterns, max_leaves=6
)


def _emit_items() -> st.SearchStrategy[EmitItem]:
    return st.builds(EmitItem, _EXPRESSIONS, st.none() | names())


def _combines() -> st.SearchStrategy[Combine]:
    plain = st.sampled_from(["min", "product", "lukasiewicz", "average"])
    weighted = st.builds(Combine, st.just("weighted"), _tuples(_reals(), 1))
    return st.builds(Combine, plain) | weighted


def _stream_declarations() -> st.SearchStrategy[StreamDeclaration]:
    attributes = st.builds(AttributeDeclaration, names(), st.sampled_from(_DECLARED))
    return st.builds(StreamDeclaration, names(), _tuples(attributes, 1, 6), st.none() | names())


def _definitions() -> st.SearchStrategy[Definition]:
    return st.builds(Definition, names(), _EXPRESSIONS)


def _fuzzy_sets() -> st.SearchStrategy[FuzzySet]:
    shapes = st.sampled_from(["trapezoid", "triangle", "bell", "sigmoid", "left", "match"])
    return st.builds(FuzzySet, names(), names(), shapes, _tuples(_reals(), 1, 4))
