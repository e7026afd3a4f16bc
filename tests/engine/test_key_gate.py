"""Events of keys with which nothing has begun are not shown to a watch, and change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.engine.comparing import (
    Rows,
    assert_equal,
    event_by_event,
    expected,
    in_batches,
    in_one_go,
    with_snapshots,
)

import tocsin
from tocsin.engine import Engine, Limits, key_gate
from tocsin.engine.machines.keyed import keyed_form
from tocsin.engine.options import Options
from tocsin.engine.watch import TRACED, Watch
from tocsin.language.live import LiveProgram

QUIET = "SUBSCRIBE s MATCH a:[k = 'a' AND g = $x] ; !b:[k = 'b' AND h = $x] FOR 10 s"
PAIR = "SUBSCRIBE s MATCH a:[k = 'a' AND g = $x] ; b:[k = 'b' AND h = $x]"
WITHOUT_KERNELS = Options(kernels=False)
Draw = Any


@pytest.fixture(autouse=True, scope="module")
def always() -> Iterator[None]:
    """Let few events be worth a look at their keys, and none be seen for the trace alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_gate, "FEW", 1)
        patch.setattr(key_gate, "TRACED", 0)
        yield


class _Atoms:
    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.made = 0

    def one(self) -> str:
        self.made += 1
        kind, key = self.draw(st.sampled_from("abcd")), self.draw(st.sampled_from("ggh"))
        return f"e{self.made}:[k = '{kind}' AND {key} = $x]"

    def part(self, depth: int) -> str:
        """Return a part of a pattern in which every atom is tied by one variable."""
        if depth == 0:
            return self.one()
        first, second = self.part(depth - 1), self.part(depth - 1)
        return str(
            self.draw(
                st.sampled_from(
                    [
                        first,
                        f"({first} ; {second})",
                        f"({first} -> {second})",
                        f"({first} | {second})",
                        f"({first} ; !{self.one()} ; {second})",
                        f"({first} ; !({self.one()} ; {self.one()}) ; {second})",
                        f"({first} ; !{self.one()} FOR 1 s)",
                        f"({first} ; !{self.one()} FOR 1 s ; {second})",
                        f"(!{self.one()} FOR 1 s ; {second})",
                        f"(!{self.one()} ; {first} ; {second})",
                        f"({self.one()}? ; {second})",
                        f"({self.one()}? ; !{self.one()} ; {second})",
                        f"({self.one()}+ BY ; ; {second})",
                        f"({self.one()}{{1,2}} BY -> ; {second})",
                        f"({first} ; {second} WITHIN 2 s)",
                    ]
                )
            )
        )


CLAUSES = ["", "", " WITHIN 3 s", " WITHIN 6 EVENTS", " LIMIT 3 PER $x", " PAIRS UNIQUE"]


@st.composite
def keyed_programs(draw: Draw) -> str:
    """Return programs of up to three subscriptions, which may share filters."""
    texts = []
    for number in range(draw(st.integers(1, 3))):
        pattern = _Atoms(draw).part(draw(st.integers(1, 2)))
        texts.append(f"SUBSCRIBE s{number} MATCH {pattern}{draw(st.sampled_from(CLAUSES))}")
    text = ";\n".join(texts)
    try:
        tocsin.check(tocsin.parse(text))
    except tocsin.LanguageError:
        assume(False)
    return text


@st.composite
def keyed_rows(draw: Draw) -> Rows:
    now, found = 0, []
    for gap, kind, g, h, clock in draw(
        st.lists(
            st.tuples(
                st.sampled_from([0, 300, 700, 1000]),
                st.sampled_from("aabbccd"),
                st.sampled_from(["x", "y", 1, 1.0, True, None]),
                st.sampled_from(["x", "z", 1, 2.5, True]),
                st.sampled_from([False] * 9 + [True]),
            ),
            max_size=16,
        )
    ):
        now += gap
        found.append({"$clock": now} if clock else {"ts": now, "k": kind, "g": g, "h": h})
        now += 100 * clock
    return found


@settings(max_examples=max(90, settings.default.max_examples))
@given(keyed_programs(), keyed_rows(), st.lists(st.integers(1, 6), max_size=4))
def test_what_is_not_shown_changes_nothing(text: str, stream: Rows, sizes: list[int]) -> None:
    wanted = expected(text, stream)
    assert_equal(in_one_go(text, stream, options=WITHOUT_KERNELS), wanted)
    assert_equal(in_batches(text, stream, sizes, options=WITHOUT_KERNELS), wanted)
    cuts = set(range(0, len(stream), 5))
    assert_equal(with_snapshots(text, stream, cuts, options=WITHOUT_KERNELS), wanted)


@pytest.mark.parametrize("policy", ["refuse", "drop oldest", "stop"])
def test_limits_do_not_depend_on_how_rows_are_cut(policy: Any) -> None:
    text = (
        "SUBSCRIBE s MATCH a:[k = 'a' AND g = $x] ; !c:[k = 'c' AND g = $x] ; "
        "b:[k = 'b' AND g = $x] WITHIN 1 s"
    )
    stream: Rows = [{"ts": 0, "k": "a", "g": 1}]
    stream += [{"ts": 5000 + n, "k": "b", "g": 7} for n in range(100)]
    stream += [{"ts": 6000, "k": "a", "g": 2}, {"ts": 6001, "k": "b", "g": 2}]
    options: dict[str, Any] = {
        "limits": Limits(per_subscription=1, policy=policy), "options": WITHOUT_KERNELS
    }  # fmt: skip
    wanted = event_by_event(text, stream, **options)
    assert_equal(in_one_go(text, stream, **options), wanted)
    assert len(wanted) == 1


def test_the_trace_tells_of_events_of_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_gate, "TRACED", TRACED)
    stream: Rows = [{"ts": 0, "k": "a", "g": "held"}]
    stream += [{"ts": 1 + n, "k": "b", "h": f"other {n}"} for n in range(100)]
    found = []
    for rows in ([[row] for row in stream], [stream]):
        engine = Engine(PAIR, options=WITHOUT_KERNELS)
        for one in rows:
            engine.process(one)
        found.append(str(engine.trace("s")))
    assert found[0] == found[1]
    assert "h = $x does not hold" in found[1]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The events that watches are shown."""
    found: list[dict[str, Any]] = []
    feed = Watch._feed

    def noted(watch: Watch, placed: Any) -> Any:
        found.append(dict(placed.event.values))
        return feed(watch, placed)

    monkeypatch.setattr(Watch, "_feed", noted)
    return found


def test_only_what_has_begun_is_shown_its_events(seen: list[dict[str, Any]]) -> None:
    engine = Engine(QUIET)
    engine.process([{"ts": 0, "k": "a", "g": "held"}])
    others = [{"ts": 1 + n, "k": "b", "h": f"other {n % 20}"} for n in range(100)]
    own = [{"ts": 200, "k": "b", "h": "held"}, {"ts": 201, "k": "a", "g": "new"}]
    late = [{"ts": 202, "k": "b", "h": "new"}]
    assert len(engine.process([*others, *own, *late])) == 0
    values = [{name: one for name, one in row.items() if name != "ts"} for row in own + late]
    assert [{n: v for n, v in one.items() if n != "ts"} for one in seen[1:]] == values


def test_equal_numbers_of_two_kinds_are_one_key() -> None:
    engine = Engine(QUIET)
    engine.process([{"ts": 0, "k": "a", "g": 1}])
    rows = [{"ts": 1, "k": "b", "h": 1.0}, {"ts": 2, "k": "b", "h": 7}, {"ts": 60_000, "k": "c"}]
    assert len(engine.process(rows)) == 0
    engine.process([{"ts": 61_000, "k": "a", "g": 2.0}])
    assert len(engine.process([{"ts": 61_001, "k": "b", "h": 2.5}, {"$clock": 99_000}])) == 1


def test_a_watch_that_holds_more_than_comes_is_shown_all(seen: list[dict[str, Any]]) -> None:
    engine = Engine(QUIET)
    engine.process([{"ts": n, "k": "a", "g": n} for n in range(10)])
    del seen[:]
    engine.process([{"ts": 20, "k": "b", "h": 99}])
    assert len(seen) == 1


@pytest.mark.parametrize(
    "pattern",
    [
        "a:[k = 'a' AND g = $x] ; b:[k = 'b']",
        "a:[k = 'a' AND g = $x] , b:[k = 'b' AND g = $x]",
        "a:[k = 'a' AND g = $x] ->{k = 'c'} b:[g = $x]",
        "a:[k = 'a' AND g = $x] & b:[k = 'b' AND g = $x]",
        "nth(2, a:[k = 'a' AND g = $x])",
        "a:[k = 'a' AND g = $x] ; b:[k = 'b' AND (g = $x OR v = 1)]",
        "a:[k = 'a' AND g = $x]+ BY ; UNTIL (k = 'c')",
        "!a:[k = 'a' AND g = $x] FOR 1 s",
    ],
)
def test_patterns_in_which_other_keys_matter_have_no_gate(pattern: str) -> None:
    program = tocsin.parse(f"SUBSCRIBE s MATCH {pattern}")
    (one,) = LiveProgram(program).normal(program.subscriptions)
    assert keyed_form(one.pattern) is None


def test_what_looks_ahead_of_a_beginning_needs_none() -> None:
    text = "SUBSCRIBE s MATCH a:[k = 'a' AND g = $x]? ; !b:[k = 'b' AND g = $x] ; c:[g = $x]"
    program = tocsin.parse(text)
    (one,) = LiveProgram(program).normal(program.subscriptions)
    form = keyed_form(one.pattern)
    assert form is not None
    assert [role.needs_left for role in form.roles] == [False, False, False]


def test_beginnings_that_subscriptions_make_come_with_no_batch() -> None:
    text = """
    SUBSCRIBE makes FROM raw MATCH r:[k = 'r'] EMIT 'a' AS k, r.g AS g INTO made;
    SUBSCRIBE s FROM made MATCH a:[k = 'a' AND g = $x] ; !b:[k = 'b' AND g = $x] FOR 10 s
    """
    stream = [
        {"$stream": "raw", "ts": 0, "k": "r", "g": "x"},
        *({"$stream": "made", "ts": 1 + n, "k": "b", "g": "xyz"[n % 3]} for n in range(6)),
        {"$clock": 60_000},
    ]
    assert_equal(in_one_go(text, stream), expected(text, stream))


@pytest.mark.parametrize(
    "pattern",
    ["!b:[k = 'b' AND g = $x] FOR 10 s ; a:[k = 'a' AND g = $x]",
     "c:[k = 'c' AND g = $x]? ; !b:[k = 'b' AND g = $x] FOR 10 s ; a:[k = 'a' AND g = $x]"],
)  # fmt: skip
def test_what_must_not_have_come_is_seen_before_anything_begins(pattern: str) -> None:
    text = f"SUBSCRIBE s MATCH {pattern}"
    stream: Rows = [{"ts": 0, "k": "d", "g": "x"}]
    stream += [{"ts": 12_000, "k": "b", "g": "x"}, {"ts": 13_000, "k": "a", "g": "x"}]
    wanted = expected(text, stream)
    assert_equal(in_batches(text, stream, [2, 1], options=WITHOUT_KERNELS), wanted)
    assert len(wanted) == 0
