"""Every tree can be built: the builder leaves no form of the language out."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from tocsin.language import builder as b
from tocsin.language import tree
from tocsin.language.parser import parse, parse_expression, parse_pattern
from tocsin.testing.strategies import expressions, patterns, programs


@given(expressions())
def test_every_expression_can_be_built(expression):
    assert _built(expression).tree == expression


@given(patterns())
def test_every_pattern_can_be_built(pattern):
    assert _built(pattern).tree == pattern


@given(programs())
def test_every_program_can_be_built(program):
    assert b.program(*map(_built, program.statements)).tree == program


@given(programs())
def test_wrapping_keeps_the_tree_and_its_text(program):
    wrapped = b.wrap(program)
    assert wrapped.tree == program
    assert b.from_text(wrapped.to_text()) == wrapped
    assert parse(str(wrapped)) == program


@given(expressions(), patterns())
def test_expressions_and_patterns_read_back_from_their_text(expression, pattern):
    assert parse_expression(b.wrap(expression).to_text()) == expression
    assert parse_pattern(b.wrap(pattern).to_text()) == pattern


def _built(node: Any) -> Any:
    """Build a tree anew with the functions a person would use."""
    return _BUILDERS[type(node)](node)


def _event(event: tree.EventReference) -> b.BuiltEvent:
    if event.which is None:
        return b.ref(event.alias)
    if isinstance(event.which, int):
        return b.ref(event.alias)[event.which]
    return {"first": b.first, "last": b.last, "prev": b.prev}[event.which](event.alias)


def _aggregate(node: tree.Aggregate) -> b.BuiltExpression:
    if node.attribute is None:
        return b.count(node.alias)
    functions = {"sum": b.sum, "avg": b.avg, "min": b.min, "max": b.max}
    return functions[node.function](b.ref(node.alias)[node.attribute])


def _call(node: tree.Call) -> b.BuiltExpression:
    return getattr(b, node.function)(*map(_built, node.arguments))


def _negative(node: tree.Negative) -> b.BuiltExpression:
    # -3 is a literal, as in the language; a minus before it can only be wrapped.
    is_literal = isinstance(node.operand, tree.Literal)
    return b.wrap(tree.Negative(_built(node.operand).tree)) if is_literal else -_built(node.operand)


def _arithmetic(node: tree.Arithmetic) -> b.BuiltExpression:
    left, right = _built(node.left), _built(node.right)
    return {
        "+": left.__add__, "-": left.__sub__, "*": left.__mul__,
        "/": left.__truediv__, "%": left.__mod__,
    }[node.operator](right)  # fmt: skip


def _comparison(node: tree.Comparison) -> b.BuiltExpression:
    left, right = _built(node.left), _built(node.right)
    return {
        "=": left.__eq__, "!=": left.__ne__, "<": left.__lt__,
        "<=": left.__le__, ">": left.__gt__, ">=": left.__ge__,
    }[node.operator](right)  # fmt: skip


def _text_match(node: tree.TextMatch) -> b.BuiltExpression:
    method = getattr(_built(node.operand), node.operator.lower().replace(" ", "_"))
    return method(_built(node.pattern), negated=node.negated)


def _vague(node: tree.Vague) -> b.BuiltExpression:
    asked = node.thresholds or tree.Thresholds(None, None)
    return _built(node.operand).is_(
        *node.hedges,
        node.term,
        negated=node.negated,
        possibly=asked.possibly,
        necessarily=asked.necessarily,
    )


def _atom(node: tree.Atom) -> b.BuiltPattern:
    if node.condition is None:
        return b.named(node.name, alias=node.alias)
    atom = b.event(node.alias, _built(node.condition))
    return atom if node.stream is None else atom.of_stream(node.stream)


def _iteration(node: tree.Iteration) -> b.BuiltPattern:
    part = _built(node.pattern)
    options = {"by": _link(node.by), "until": None if node.until is None else _built(node.until)}
    if node.high is None:
        return part.at_least(node.low, **options)
    return part.times(node.low, node.high, **options)


def _link(link: tree.Link | None) -> tree.Link | str:
    if link is None:
        return "&"
    return b.link(link.kind, None if link.condition is None else _built(link.condition))


def _sequence(node: tree.Sequence) -> b.BuiltPattern:
    pairs = zip(map(_link, node.links), map(_built, node.parts[1:]), strict=True)
    return b.sequence(_built(node.parts[0]), *(one for pair in pairs for one in pair))


def _limit(limit: tree.Limit) -> Any:
    amount = limit.amount
    given = b.param(amount.name) if isinstance(amount, tree.Parameter) else amount
    return b.events(given) if limit.unit == "events" else given


def _amount(amount: Any) -> Any:
    return b.param(amount.name) if isinstance(amount, tree.Parameter) else amount


def _subscription(node: tree.Subscription) -> b.BuiltStatement:
    made: dict[str, Any] = {}
    if node.limit is not None:
        made |= {"limit": _amount(node.limit.count), "per": node.limit.per}
    if node.accept is not None:
        made["accept"] = b.accept(
            possibly=node.accept.possibly, necessarily=node.accept.necessarily
        )
    if node.combine is not None:
        made["combine"] = (
            b.weighted(*node.combine.weights) if node.combine.weights else node.combine.method
        )
    if node.predict is not None:
        horizon, above = _limit(node.predict.horizon), node.predict.threshold
        made["predict"] = b.predict(within=horizon, above=above)
    if node.since is not None:
        moment = "beginning" if node.since.moment is None else node.since.moment
        made["since"] = b.since(moment, only_new=node.since.only_new)
    items = [
        _built(item.expression) if item.name is None else _built(item.expression).named(item.name)
        for item in node.emit
    ]
    return b.subscribe(
        node.name,
        _built(node.pattern),
        source=list(node.sources),
        where=None if node.where is None else _built(node.where),
        within=None if node.within is None else _limit(node.within),
        duplicates=node.duplicates,
        pairs=node.pairs,
        emit=items,
        into=node.into,
        **made,
    )


_BUILDERS = {
    tree.Literal: lambda node: b.literal(node.value),
    tree.Parameter: lambda node: b.param(node.name),
    tree.Attribute: lambda node: b.attr[node.name],
    tree.Variable: lambda node: b.var(node.name),
    tree.OfEvent: lambda node: _event(node.event)[node.attribute],
    tree.TimeOf: lambda node: getattr(b, node.function)(_event(node.event)),
    tree.MatchDuration: lambda _: b.duration(),
    tree.Aggregate: _aggregate,
    tree.Call: _call,
    tree.Negative: _negative,
    tree.Arithmetic: _arithmetic,
    tree.Comparison: _comparison,
    tree.Between: lambda node: _built(node.operand).between(
        _built(node.low), _built(node.high), negated=node.negated
    ),
    tree.InList: lambda node: _built(node.operand).is_in(
        [_built(choice) for choice in node.choices], negated=node.negated
    ),
    tree.InCidr: lambda node: _built(node.operand).in_cidr(
        _built(node.network), negated=node.negated
    ),
    tree.Presence: lambda node: (
        _built(node.operand).is_present() if node.present else _built(node.operand).is_missing()
    ),
    tree.TextMatch: _text_match,
    tree.Vague: _vague,
    tree.Not: lambda node: ~_built(node.operand),
    tree.And: lambda node: b.all_of(*map(_built, node.parts)),
    tree.Or: lambda node: b.any_of(*map(_built, node.parts)),
    tree.Atom: _atom,
    tree.Iteration: _iteration,
    tree.Condition: lambda node: _built(node.pattern).where(_built(node.condition)),
    tree.Span: lambda node: _built(node.pattern).within(_limit(node.limit)),
    tree.Absence: lambda node: _built(node.pattern).absent(
        _amount(node.duration), every=_amount(node.every)
    ),
    tree.Sequence: _sequence,
    tree.Nth: lambda node: b.nth(node.index, _built(node.pattern)),
    tree.Repeat: lambda node: b.repeat(
        _built(node.pattern), node.times, node.attribute, node.step, by=_link(node.by)
    ),
    tree.Conjunction: lambda node: b.in_any_order(*map(_built, node.parts)),
    tree.Disjunction: lambda node: b.either(*map(_built, node.parts)),
    tree.Subscription: _subscription,
    tree.StreamDeclaration: lambda node: b.program(node).statements[0],
    tree.Definition: lambda node: b.define(node.name, _built(node.condition)),
    tree.FuzzySet: lambda node: b.fuzzy(
        node.name, *node.parameters, on=node.attribute, shape=node.shape
    ),
}
