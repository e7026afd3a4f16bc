"""Wrong arguments are refused with what to write instead."""

# ruff: noqa: SIM201, PLW0177, PLW0108 - the table shows what someone would write

from __future__ import annotations

import datetime as dt
import math
import re

import pytest

from tocsin.errors import ConfigurationError, LanguageError
from tocsin.language import builder as b
from tocsin.model.values import Timestamp

a, x, p = b.attr, b.var("x"), b.named("p")

WRONG = [
    (lambda: (a.x == 1) and (a.y == 2), "write & for and"),
    (lambda: 1 < a.x < 3, "(a < b) & (b < c)"),
    (lambda: not (a.x == 1), "~ for not"),
    (lambda: p and p, "p holds or not only when an event is there"),
    (lambda: a.x == None, "use is_missing()"),  # noqa: E711 - that is what someone writes
    (lambda: a.x == p, "write b.t(a) for its time"),
    (lambda: a.x == [1, 2], "give a boolean, number, string"),
    (lambda: a.x == 2**63, "integer of 64 bits"),
    (lambda: a.x == math.nan, "finite number"),
    (lambda: a.x == Timestamp(2**62), "between the years 1 and 9999"),
    (lambda: a.x == dt.timedelta.max, "integer of 64 bits"),
    (lambda: b.t("a") < "soon", "'soon' is not a time"),
    (lambda: b.duration() < "5 parsecs", "unknown unit of time 'parsecs'"),
    (lambda: b.t("a") + "2026-01-31", "is not a duration"),
    (lambda: b.var("$x"), "as in b.var('x')"),
    (lambda: b.var(""), "is not a variable"),
    (lambda: b.attr[""], "a string that is not empty"),
    (lambda: b.attr[3], "3 is not an attribute"),
    (lambda: a.x.is_in("abc"), "give a list or tuple"),
    (lambda: a.x.is_in([]), "at least one value"),
    (lambda: a.x.is_(), "as in is_('cheap')"),
    (lambda: a.x.is_("quite", "cheap"), "the hedges are very and somewhat"),
    (lambda: a.x.is_("cheap", possibly="much"), "'much' is not a number"),
    (lambda: b.moment(True), "not a time"),
    (lambda: b.interval(5), "give it a unit"),
    (lambda: b.all_of(a.x), "give all_of each as its own argument"),
    (lambda: b.any_of(), "give any_of each as its own argument"),
    (lambda: b.t(b.event(a.x == 1)), "give it one, as in b.event('a'"),
    (lambda: b.t(p >> p), "is not an event"),
    (lambda: b.t(3), "3 is not an event"),
    (lambda: b.first(b.first("a")), "first takes an iterated alias"),
    (lambda: b.count(b.ref("a")[2]), "count takes an iterated alias"),
    (lambda: b.ref("a")[-1], "the number of a repetition"),
    (lambda: b.first("a")[2], "one event was chosen already"),
    (lambda: b.sum(a.price), "write sum(b.ref('a').price)"),
    (lambda: b.min(), "give min at least two"),
    (lambda: b.event("a", "b"), "the alias comes first"),
    (lambda: b.event("a", x=None), "use is_missing()"),
    (lambda: b.event("a", x=[]), "give at least one"),
    (lambda: b.event("", a.x), "an alias"),
    (lambda: b.named(3), "3 is not the name of a DEFINE or a stream"),
    (lambda: p.of_stream("asks"), "is not an atom with a filter"),
    (lambda: p >> 3, "give what b.event or b.named returned"),
    (lambda: p >> (a.x == 1), "make it an atom: b.event('a', condition)"),
    (lambda: b.then_any(p), "two parts or more"),
    (lambda: b.sequence(p), "links and parts in turn"),
    (lambda: b.sequence(p, "->", p, ";", p), "links of one kind"),
    (lambda: b.link("=>"), "the links are"),
    (lambda: b.link(";", a.x), "only -> takes one"),
    (lambda: p.times(1.5), "1.5 is not a number of repetitions"),
    (lambda: p.times(-1), "from 0 on"),
    (lambda: p.times(True), "give a whole number"),
    (lambda: p.within(5), "give it a unit, as in '5 min' or '20 events'"),
    (lambda: p.within("-5 min"), "is not a duration"),
    (lambda: p.within(dt.timedelta(-1)), "it cannot be negative"),
    (lambda: p.within(a.x), "is not a length of time"),
    (lambda: p.absent(every="5 min"), "EVERY needs FOR"),
    (lambda: b.nth("3", p), "'3' is not a number, from 1 on"),
    (lambda: b.repeat(p, 2, "n", True), "give a number or a duration"),
    (lambda: b.stream("s", {}), "{'ts': 'TIMESTAMP', 'ip': 'STRING'}"),
    (lambda: b.stream("s", {"a": "TEXT"}), "the types are STRING, INTEGER"),
    (lambda: b.stream("s", {"a": dict}), "the types are STRING, INTEGER"),
    (lambda: b.fuzzy("cheap", on="rent", shape="bell"), "the numbers of a shape"),
    (lambda: b.fuzzy("cheap", "1", on="rent", shape="bell"), "'1' is not a number"),
    (lambda: b.fuzzy("cheap", math.nan, on="rent", shape="bell"), "nan is not a number"),
    (lambda: b.subscribe("", p), "the name of a subscription"),
    (lambda: b.subscribe("s", a.x == 1), "make it an atom"),
    (lambda: b.subscribe("s", p, duplicates="some"), "give one of ALL, FIRST, LAST"),
    (lambda: b.subscribe("s", p, pairs=3), "give one of ALL, UNIQUE, SEPARATE"),
    (lambda: b.subscribe("s", p, per=x), "PER needs LIMIT"),
    (lambda: b.subscribe("s", p, limit="3"), "'3' is not a number of matches"),
    (lambda: b.subscribe("s", p, into="out"), "INTO needs EMIT"),
    (lambda: b.subscribe("s", p, emit="x"), "give a dict of names and values"),
    (lambda: b.subscribe("s", p, emit=["x"]), "write a['x'], a being what b.event('a', …)"),
    (lambda: b.subscribe("s", p, accept=0.5), "write b.accept(possibly=0.5)"),
    (lambda: b.subscribe("s", p, predict=0.5), "write b.predict(within='20 events'"),
    (lambda: b.subscribe("s", p, combine="max"), "give min, product"),
    (lambda: b.subscribe("s", p, source=3), "3 is not a stream"),
    (lambda: b.subscribe("s", p, since="soon"), "'soon' is not a time"),
    (lambda: b.accept(), "accept(possibly=0.5)"),
    (lambda: b.weighted(), "weighted"),
    (lambda: b.program(p), "give what b.subscribe, b.define"),
    (lambda: b.wrap("p"), "'p' is not a tree"),
]


@pytest.mark.parametrize(("make", "message"), WRONG)
def test_a_wrong_argument_says_what_to_write_instead(make, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        make()


def test_iterating_over_a_part_is_refused_by_python():
    for thing in (p, b.ref("a"), b.attr):
        with pytest.raises(TypeError, match="not iterable"):
            list(thing)


def test_names_of_python_are_not_taken_for_attributes():
    assert not hasattr(b.attr, "__wrapped__")
    assert not hasattr(b.ref("a"), "__wrapped__")


def test_a_wrong_text_is_a_language_error():
    for read in (b.from_text, b.pattern, b.expression):
        with pytest.raises(LanguageError):
            read("a ; ; b")
