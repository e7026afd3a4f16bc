"""A set of tests of strings says what its tests say one by one."""

from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine.index.text_sets import TextSet
from tocsin.plan.predicates import TextTest

_texts = st.text("ab1.", max_size=8)
_plain = st.sampled_from(("CONTAINS", "STARTS WITH", "ENDS WITH", "LIKE", "<", ">="))
_tests = (
    st.builds(TextTest, _plain, st.tuples(_texts | st.just("%a_")), st.booleans())
    | st.builds(TextTest, st.just("MATCHES"), st.tuples(st.sampled_from(("^a", "b$", "a|1"))))
    | st.builds(TextTest, st.just("CIDR"), st.tuples(st.just("10.0.0.0/8")), st.booleans())
)


@given(st.lists(_tests, unique=True, max_size=40), _texts | st.just("10.1.1.1"), st.data())
def test_it_says_what_its_tests_say(tests: list[TextTest], text: str, data: st.DataObject) -> None:
    whole = TextSet()
    for number, test in enumerate(tests):
        whole.add(number, test)
    gone = data.draw(st.sets(st.integers(0, len(tests) - 1))) if tests else set()
    for number in gone:
        whole.remove(number, tests[number])
    expected = [i for i, test in enumerate(tests) if i not in gone and test.holds(text)]
    assert whole.passed(text) == expected


def test_many_patterns_inside_a_string_are_found_by_its_parts() -> None:
    whole = TextSet()
    for number in range(1000):
        whole.add(number, TextTest("CONTAINS", (f"<{number:03}>",)))
    assert whole.passed("a <007> <123> <7>") == [7, 123]
