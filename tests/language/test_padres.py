"""The message syntax of PADRES."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tocsin.errors import ConfigurationError, LanguageError
from tocsin.language.padres import publication_from_padres, subscription_from_padres
from tocsin.language.parser import parse
from tocsin.language.printer import to_text

SUBSCRIPTIONS = {
    "[class,=,job-status],[appl,=,payroll],[job-name,isPresent,*]": (
        "class = 'job-status' AND appl = 'payroll' AND \"job-name\" IS PRESENT"
    ),
    " ( [class, =, job-status] , [appl, =, payroll] ) ": (
        "class = 'job-status' AND appl = 'payroll'"
    ),
    "(([class,=,agent_ctl],[agent,=,agent_D]))": "class = 'agent_ctl' AND agent = 'agent_D'",
    "[class,eq,'stock'],[price,>,10],[price,<=,20.5];": (
        "class = 'stock' AND price > 10 AND price <= 20.5"
    ),
    "[class, eq, accident]\n[city, eq, Toronto]\n[severity, >, 2]": (
        "class = 'accident' AND city = 'Toronto' AND severity > 2"
    ),
    "[a,≥,1],[b,≤,-2],[c,<,+3],[d,>=,.5]": "a >= 1 AND b <= -2 AND c < 3 AND d >= 0.5",
    "[a,<>,1],[b,!=,2],[c,neq,x],[d,≠,3]": "a != 1 AND b != 2 AND c != 'x' AND d != 3",
    "[a,str-contains,'b c'],[d,str-prefix,e],[f,str-suffix,g],[h,str-postfix,3]": (
        "a CONTAINS 'b c' AND d STARTS WITH 'e' AND f ENDS WITH 'g' AND h ENDS WITH '3'"
    ),
    "[a,str-lt,b],[c,str-le,d],[e,str-gt,f],[g,str-ge,1]": (
        "a < 'b' AND c <= 'd' AND e > 'f' AND g >= '1'"
    ),
    "[appl,=,$X],[state,eq,$S$Y],[n,=,'$I$Z']": "appl = $X AND state = $Y AND n = $Z",
    "[a,=,'$5.00'],[a,=,'$X'],[b,=,\"it's\"],[c,=,'it''s']": (
        "a = '$5.00' AND a = '$X' AND b = 'it''s' AND c = 'it''s'"
    ),
    "[victim,=,John Doe],[code,=,007],[flag,=,true]": (
        "victim = 'John Doe' AND code = '007' AND flag = 'true'"
    ),
    "[a,=,'1'],[b,=,1e3],[c,=,0],[d,=,'']": "a = '1' AND b = 1000.0 AND c = 0 AND d = ''",
    "[a,ISPRESENT,'any'],[b,isPresent,5]": "a IS PRESENT AND b IS PRESENT",
}


@pytest.mark.parametrize("text", SUBSCRIPTIONS)
def test_a_subscription_is_a_conjunction_of_its_predicates(text):
    expected = parse(f"SUBSCRIBE s MATCH [{SUBSCRIPTIONS[text]}]").subscriptions[0]
    assert subscription_from_padres(text, name="s") == expected


def test_the_publication_of_the_paper_is_an_event():
    text = "[class,job-status],[appl,payroll],[job-name,A],[state,succ]"
    assert publication_from_padres(text) == {
        "class": "job-status", "appl": "payroll", "job-name": "A", "state": "succ",
    }  # fmt: skip


def test_values_of_a_publication_keep_their_kind():
    text = "([a, 1] , [b, -2.5], [c, '3'], [d, \"x, y\"], [e, 007], [f, John Doe], [g,'*']);"
    assert publication_from_padres(text) == {
        "a": 1, "b": -2.5, "c": "3", "d": "x, y", "e": "007", "f": "John Doe", "g": "*",
    }  # fmt: skip


WRONG = {
    "": ("expected '[', found the end of the text", 1, "list of groups"),
    "class,=,x": ("expected '[', found 'c'", 1, "list of groups"),
    "[class,=,x": ("expected ',' or ']', found the end of the text", 11, "Close the group"),
    "[class,=,it's]": ("expected ',' or ']', found '''", 12, "stands in quotes"),
    "[class,=,x] and": ("expected ',' or the end, found 'a'", 13, "separated by commas"),
    "[class,=,x],": ("expected '[', found the end of the text", 13, "list of groups"),
    "([class,=,x]": ("1 opening and 0 closing parentheses", 12, "Close each parenthesis"),
    "[class,=]": ("expected a name, an operator and a value", 8, "triples such as"),
    "[class,=,x,y]": ("expected a name, an operator and a value", 12, "triples such as"),
    "[class,,x]": ("expected a name or a value", 8, "Between two commas"),
    "[class,=,]": ("expected a name or a value", 10, "Between two commas"),
    "[class,equals,x]": ("unknown operator 'equals'", 8, "The operators are ="),
    "[class,isPresnt,*]": ("unknown operator 'isPresnt'", 8, "Did you mean 'isPresent'?"),
    "[class,=,*]": ("'*' is not a value", 10, "isPresent"),
    "[class,=,$X+5]": ("'$X+5' is not a variable", 10, "as in $X"),
    "[n,=,9223372036854775808]": ("larger than 64 bits", 6, "quotes"),
    "[n,=,1e999]": ("larger than 64 bits", 6, "quotes"),
    "{[class,=,x]} & {[class,=,y]}": ("expected '[', found '{'", 1, "list of groups"),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_subscription_says_where_and_what_to_do(text):
    what, column, hint = WRONG[text]
    with pytest.raises(LanguageError) as caught:
        subscription_from_padres(text, name="s")
    assert what in caught.value.what
    assert (caught.value.line, caught.value.column) == (1, column)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "what", "column"),
    [
        ("[class,=,x]", "expected a name and a value", 10),
        ("[class]", "expected a name and a value", 2),
        ("[a,1],[a,2]", "'a' stands here twice", 8),
        ("[a,$X]", "a variable is not a value", 4),
        ("[a,*]", "'*' is not a value", 4),
    ],
)
def test_a_wrong_publication_says_where(text, what, column):
    with pytest.raises(LanguageError, match=r"line 1") as caught:
        publication_from_padres(text)
    assert (caught.value.what, caught.value.column) == (what, column)


def test_an_error_shows_its_line_with_a_caret():
    with pytest.raises(LanguageError) as caught:
        subscription_from_padres("[class,=,stock],\n[price,more,10]", name="s")
    assert str(caught.value).split("\n")[:3] == [
        "unknown operator 'more' (line 2, column 8)",
        "  [price,more,10]",
        "         ^",
    ]


def test_a_subscription_needs_a_name():
    with pytest.raises(ConfigurationError, match="is not the name of a subscription"):
        subscription_from_padres("[class,=,x]", name="")


@given(st.text(alphabet="[](),;='\"$* \n\tab1.-<>≥", max_size=30))
@example("[")
def test_any_text_is_read_or_refused_with_a_place(text):
    for read in (publication_from_padres, lambda text: subscription_from_padres(text, name="s")):
        refused = _refused(read, text)
        assert refused is None or refused.hint
        assert refused is None or 1 <= refused.column <= len(refused.source) + 1


def _refused(read, text):
    try:
        read(text)
    except LanguageError as error:
        return error
    return None


_values = st.integers(-99, 99) | st.floats(0, 99) | st.text(max_size=5)


@given(st.dictionaries(st.text("abc-_", min_size=1, max_size=5), _values, min_size=1))
def test_what_is_written_is_read(event):
    def written(value):
        return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)

    pairs = ",".join(f"[{name},{written(value)}]" for name, value in event.items())
    triples = ",".join(f"[{name},=,{written(value)}]" for name, value in event.items())
    assert publication_from_padres(pairs) == event
    subscription = subscription_from_padres(triples, name="s")
    assert parse(to_text(subscription)).subscriptions[0] == subscription
