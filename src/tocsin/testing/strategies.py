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

from tocsin.language import tree
from tocsin.language.tokens import KEYWORDS
from tocsin.model.times import parse_time
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Duration, Kind, Timestamp

_T = TypeVar("_T")
_PLAIN: Final = st.sampled_from(
    ["a", "b", "x", "price", "Größe", "_n", "t", "min", "count", "first"]
)
_WORDS: Final = st.sampled_from(sorted(KEYWORDS)).flatmap(
    lambda word: st.sampled_from([word, word.lower(), word.title()])
)
_DECLARED: Final = (Kind.STRING, Kind.INTEGER, Kind.FLOAT, Kind.BOOLEAN, Kind.TIMESTAMP)
_ZONES: Final = st.integers(-1439, 1439).map(lambda m: dt.timezone(dt.timedelta(minutes=m)))
# A sheet of all counts that the grammar takes without a sign.
_COUNTS: Final = st.integers(0, 12) | st.just(INTEGER_MAX)


def names() -> st.SearchStrategy[str]:
    """Return names of all sorts: plain words, keywords, and what must stand in double quotes."""
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


def parameters() -> st.SearchStrategy[tree.Parameter]:
    """Places that a table fills."""
    return names().map(tree.Parameter)


def expressions() -> st.SearchStrategy[tree.Expression]:
    """Expressions of every form.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(expressions(), lambda found: isinstance(found, tree.Not)).operand is not None
    True
    """
    return _EXPRESSIONS


def patterns() -> st.SearchStrategy[tree.Pattern]:
    """Patterns of every form."""
    return _PATTERNS


def statements() -> st.SearchStrategy[tree.Statement]:
    """Statements of every kind."""
    return subscriptions() | _stream_declarations() | _definitions() | _fuzzy_sets()


def programs(*, max_size: int = 4) -> st.SearchStrategy[tree.Program]:
    """Programs of a few statements, none included."""
    return _tuples(statements(), max_size=max_size).map(tree.Program)


def limits() -> st.SearchStrategy[tree.Limit]:
    """Limits of time and of a number of events."""
    amounts = {"time": durations() | parameters(), "events": _COUNTS | parameters()}
    units = st.sampled_from(["time", "events"])
    return units.flatmap(lambda unit: st.builds(tree.Limit, st.just(unit), amounts[unit]))


def thresholds() -> st.SearchStrategy[tree.Thresholds]:
    """One threshold or both."""
    both = st.builds(tree.Thresholds, _reals(), _reals())
    return (
        both
        | st.builds(tree.Thresholds, _reals(), st.none())
        | st.builds(tree.Thresholds, st.none(), _reals())
    )


def subscription_names() -> st.SearchStrategy[str]:
    """Names with and without parameters in braces."""
    piece = _PLAIN | _WORDS | parameters().map(lambda parameter: f"{{{parameter.name}}}")
    return names() | st.lists(piece, min_size=1, max_size=3).map("".join)


def subscriptions() -> st.SearchStrategy[tree.Subscription]:
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
            "limit": st.builds(
                tree.MatchLimit, _COUNTS | parameters(), st.none() | variable_names()
            ),
            "accept": thresholds(),
            "combine": _combines(),
            "predict": st.builds(tree.Predict, limits(), _reals()),
            "since": st.builds(tree.Since, st.none() | timestamps(), st.booleans()),
        },
    )
    return st.builds(
        lambda fields, made: tree.Subscription(**fields, emit=made[0], into=made[1]),
        clauses,
        output,
    )


def _tuples(
    parts: st.SearchStrategy[_T], min_size: int = 0, max_size: int = 3
) -> st.SearchStrategy[tuple[_T, ...]]:
    return st.lists(parts, min_size=min_size, max_size=max_size).map(tuple)


def _reals() -> st.SearchStrategy[float]:
    return st.floats(0, 1) | st.floats(allow_nan=False) | st.integers(-5, 2000).map(float)


def _events() -> st.SearchStrategy[tree.EventReference]:
    which = st.none() | _COUNTS | st.sampled_from(["first", "last", "prev"])
    return st.builds(tree.EventReference, names(), which)


def _leaves() -> st.SearchStrategy[tree.Expression]:
    aggregates = st.sampled_from(["sum", "avg", "min", "max"])
    return st.one_of(
        values().map(tree.Literal),
        names().map(tree.Attribute),
        variable_names().map(tree.Variable),
        parameters(),
        st.builds(tree.OfEvent, _events(), names()),
        st.builds(tree.TimeOf, st.sampled_from(["t", "begin", "end"]), _events()),
        st.just(tree.MatchDuration()),
        st.builds(tree.Aggregate, aggregates, names(), names()),
        st.builds(tree.Aggregate, st.just("count"), names(), st.none()),
    )


def _around_values(inner: st.SearchStrategy[tree.Expression]) -> st.SearchStrategy[tree.Expression]:
    one_of = st.sampled_from
    return st.one_of(
        st.builds(tree.Call, one_of(["abs", "lower", "upper", "length"]), st.tuples(inner)),
        st.builds(tree.Call, one_of(["min", "max"]), _tuples(inner, 2)),
        st.builds(tree.Negative, inner),
        st.builds(tree.Arithmetic, one_of(["+", "-", "*", "/", "%"]), inner, inner),
    )


def _around_conditions(
    inner: st.SearchStrategy[tree.Expression],
) -> st.SearchStrategy[tree.Expression]:
    one_of, texts = st.sampled_from, ["CONTAINS", "STARTS WITH", "ENDS WITH", "LIKE", "MATCHES"]
    hedges = _tuples(one_of(["very", "somewhat"]))
    return st.one_of(
        st.builds(tree.Comparison, one_of(["=", "!=", "<", "<=", ">", ">="]), inner, inner),
        st.builds(tree.Between, inner, inner, inner, st.booleans()),
        st.builds(tree.InList, inner, _tuples(inner, 1), st.booleans()),
        st.builds(tree.InCidr, inner, inner, st.booleans()),
        st.builds(tree.Presence, inner, st.booleans()),
        st.builds(tree.TextMatch, one_of(texts), inner, inner, st.booleans()),
        st.builds(tree.Vague, inner, names(), hedges, st.booleans(), st.none() | thresholds()),
        st.builds(tree.Not, inner),
        st.builds(tree.And, _tuples(inner, 2)),
        st.builds(tree.Or, _tuples(inner, 2)),
    )


_EXPRESSIONS: Final[st.SearchStrategy[tree.Expression]] = st.recursive(
    _leaves(), lambda inner: _around_values(inner) | _around_conditions(inner), max_leaves=8
)


def links() -> st.SearchStrategy[tree.Link]:
    """Links of every kind, with and without a condition."""
    plain = st.sampled_from([tree.Link(","), tree.Link("->"), tree.Link(";")])
    return plain | st.builds(tree.Link, st.just("->"), _EXPRESSIONS)


def _atoms() -> st.SearchStrategy[tree.Pattern]:
    maybe = st.none() | names()
    filtered = st.builds(tree.Atom, maybe, _EXPRESSIONS, st.none(), maybe)
    return filtered | st.builds(tree.Atom, maybe, st.none(), names())


def _sequences(inner: st.SearchStrategy[tree.Pattern]) -> st.SearchStrategy[tree.Pattern]:
    same_kind = {
        ",": st.just(tree.Link(",")),
        "->": st.just(tree.Link("->")) | st.builds(tree.Link, st.just("->"), _EXPRESSIONS),
        ";": st.just(tree.Link(";")),
    }
    return st.tuples(st.sampled_from([",", "->", ";"]), _tuples(inner, 2)).flatmap(
        lambda drawn: st.builds(
            tree.Sequence,
            st.just(drawn[1]),
            st.tuples(*[same_kind[drawn[0]]] * (len(drawn[1]) - 1)),
        )
    )


def _around_patterns(inner: st.SearchStrategy[tree.Pattern]) -> st.SearchStrategy[tree.Pattern]:
    until = st.none() | _EXPRESSIONS
    steps = values().filter(
        lambda step: isinstance(step, int | float) and not isinstance(step, bool | Timestamp)
    )
    amounts = durations() | parameters()
    return st.one_of(
        st.builds(tree.Iteration, inner, _COUNTS, st.none() | _COUNTS, links(), until),
        st.builds(tree.Iteration, inner, st.integers(0, 1), st.none() | st.just(1)),
        st.builds(tree.Condition, inner, _EXPRESSIONS),
        st.builds(tree.Span, inner, limits()),
        st.builds(tree.Absence, inner),
        st.builds(tree.Absence, inner, amounts, st.none() | amounts),
        _sequences(inner),
        st.builds(tree.Nth, _COUNTS, inner),
        st.builds(tree.Repeat, inner, _COUNTS, names(), steps, st.none() | links()),
        st.builds(tree.Conjunction, _tuples(inner, 2)),
        st.builds(tree.Disjunction, _tuples(inner, 2)),
    )


_PATTERNS: Final[st.SearchStrategy[tree.Pattern]] = st.recursive(
    _atoms(), _around_patterns, max_leaves=6
)


def _emit_items() -> st.SearchStrategy[tree.EmitItem]:
    return st.builds(tree.EmitItem, _EXPRESSIONS, st.none() | names())


def _combines() -> st.SearchStrategy[tree.Combine]:
    plain = st.sampled_from(["min", "product", "lukasiewicz", "average"])
    weighted = st.builds(tree.Combine, st.just("weighted"), _tuples(_reals(), 1))
    return st.builds(tree.Combine, plain) | weighted


def _stream_declarations() -> st.SearchStrategy[tree.StreamDeclaration]:
    attributes = st.builds(tree.AttributeDeclaration, names(), st.sampled_from(_DECLARED))
    return st.builds(
        tree.StreamDeclaration, names(), _tuples(attributes, 1, 6), st.none() | names()
    )


def _definitions() -> st.SearchStrategy[tree.Definition]:
    return st.builds(tree.Definition, names(), _EXPRESSIONS)


def _fuzzy_sets() -> st.SearchStrategy[tree.FuzzySet]:
    shapes = st.sampled_from(["trapezoid", "triangle", "bell", "sigmoid", "left", "match"])
    return st.builds(tree.FuzzySet, names(), names(), shapes, _tuples(_reals(), 1, 4))
