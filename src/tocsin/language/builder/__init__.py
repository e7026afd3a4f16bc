"""Programs made by Python code instead of text; both give the same trees.

Examples
--------
>>> from tocsin.language import builder as b
>>> x = b.var("x")
>>> denied = b.attr.status == "denied"
>>> d1, d2, d3 = (b.event(name, denied, ip=x) for name in ("d1", "d2", "d3"))
>>> s = b.event("s", status="success", ip=x)
>>> pattern = b.then_any(d1, d2, d3.where(b.t(d3) - b.t(d1) < "5 min"), s)
>>> subscription = b.subscribe("intrusion", pattern, source="logins", within="1 hour")
>>> print(subscription.to_text())
SUBSCRIBE intrusion FROM logins
MATCH   d1:[status = 'denied' AND ip = $x] ;
        d2:[status = 'denied' AND ip = $x] ;
        d3:[status = 'denied' AND ip = $x] @ (t(d3) - t(d1) < 5 min) ;
        s:[status = 'success' AND ip = $x]
WITHIN  1 hour;
>>> b.from_text(subscription.to_text()).tree.subscriptions[0] == subscription.tree
True
"""

from tocsin.language.builder.base import Built
from tocsin.language.builder.clauses import accept, events, predict, since, weighted
from tocsin.language.builder.expressions import BuiltExpression
from tocsin.language.builder.functions import (
    abs,  # noqa: A004 - the language's own name
    avg,
    begin,
    count,
    duration,
    end,
    first,
    last,
    length,
    lower,
    max,  # noqa: A004 - the language's own name
    min,  # noqa: A004 - the language's own name
    prev,
    ref,
    sum,  # noqa: A004 - the language's own name
    t,
    upper,
)
from tocsin.language.builder.parts import (
    absent,
    either,
    event,
    in_any_order,
    named,
    nth,
    pattern,
    repeat,
    sequence,
    then_any,
    then_first,
    then_next,
)
from tocsin.language.builder.patterns import BuiltPattern, link
from tocsin.language.builder.references import BuiltEvent
from tocsin.language.builder.statements import (
    BuiltProgram,
    BuiltStatement,
    define,
    from_text,
    fuzzy,
    program,
    stream,
    subscribe,
)
from tocsin.language.builder.terms import (
    all_of,
    any_of,
    attr,
    expression,
    interval,
    literal,
    moment,
    not_,
    param,
    var,
)
from tocsin.language.builder.wrapping import wrap

__all__ = [
    "Built",
    "BuiltEvent",
    "BuiltExpression",
    "BuiltPattern",
    "BuiltProgram",
    "BuiltStatement",
    "abs",
    "absent",
    "accept",
    "all_of",
    "any_of",
    "attr",
    "avg",
    "begin",
    "count",
    "define",
    "duration",
    "either",
    "end",
    "event",
    "events",
    "expression",
    "first",
    "from_text",
    "fuzzy",
    "in_any_order",
    "interval",
    "last",
    "length",
    "link",
    "literal",
    "lower",
    "max",
    "min",
    "moment",
    "named",
    "not_",
    "nth",
    "param",
    "pattern",
    "predict",
    "prev",
    "program",
    "ref",
    "repeat",
    "sequence",
    "since",
    "stream",
    "subscribe",
    "sum",
    "t",
    "then_any",
    "then_first",
    "then_next",
    "upper",
    "var",
    "weighted",
    "wrap",
]
