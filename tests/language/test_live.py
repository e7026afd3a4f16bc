"""A live program changes at the cost of what changes, and judges as if it were checked whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import ConfigurationError, LanguageError
from tocsin.language import live as live_module
from tocsin.language.live import LiveProgram
from tocsin.language.parser import parse
from tocsin.language.tree import Program

HEAD = """STREAM logins (ts TIMESTAMP, ip STRING, v INTEGER) TIME ts;
STREAM doors (ts TIMESTAMP, door STRING) TIME ts;
DEFINE big AS v > 3;
DEFINE huge AS big AND v > 30;
"""


def made(text: str = HEAD) -> LiveProgram:
    return LiveProgram(parse(text))


def names(live: LiveProgram) -> list[str]:
    return [one.name for one in live.program.subscriptions]


def feeding(name: str, source: str, into: str) -> str:
    return f"SUBSCRIBE {name} FROM {source} MATCH a:[v > 0] EMIT a.v AS v INTO {into}"


def test_what_is_in_force_keeps_the_order_in_which_it_came() -> None:
    live = made(HEAD + "SUBSCRIBE one FROM logins MATCH [big]")
    live.add("SUBSCRIBE two FROM logins MATCH [big]; SUBSCRIBE three FROM doors MATCH [door = 'a']")
    live.remove("two")
    live.add("SUBSCRIBE two FROM logins MATCH [big]")
    assert names(live) == ["one", "three", "two"]
    assert [s.name for s in live.program.streams] == ["logins", "doors"]


def test_a_name_is_free_again_once_it_is_removed() -> None:
    live = made()
    live.add("SUBSCRIBE one FROM logins MATCH [big]")
    with pytest.raises(LanguageError, match="a subscription called 'one' is in force already"):
        live.add("SUBSCRIBE one FROM logins MATCH [huge]")
    live.remove("one")
    with pytest.raises(ConfigurationError, match="no subscription is called 'one'"):
        live.remove("one")
    live.add("SUBSCRIBE one FROM logins MATCH [huge]")
    assert names(live) == ["one"]


def test_definitions_behind_definitions_are_found() -> None:
    live = made()
    (subscription,) = live.add("SUBSCRIBE one FROM logins MATCH a:huge")
    (normal,) = live.normal((subscription,))
    assert "30" in repr(normal.pattern)
    assert "big" not in repr(normal.pattern)


def test_a_definition_that_comes_later_is_in_force_from_then_on() -> None:
    live = made()
    with pytest.raises(LanguageError):
        live.add("SUBSCRIBE one FROM logins MATCH [small]")
    live.add("DEFINE small AS v < 2; STREAM walls (ts TIMESTAMP, v INTEGER)")
    live.add("SUBSCRIBE one FROM walls MATCH [small]")
    assert list(live.schemas) == ["logins", "doors", "walls"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SUBSCRIBE s FROM login MATCH [big]", "Did you mean 'logins'?"),
        ("SUBSCRIBE s FROM nowhere MATCH [big]", "logins, doors"),
        ("SUBSCRIBE s FROM logins MATCH a:hugee", "Did you mean 'huge'?"),
        ("SUBSCRIBE s FROM doors MATCH [ip = 'x']", "unknown attribute"),
        ("DEFINE big AS v > 5", "twice"),
        ("STREAM logins (ts TIMESTAMP)", "twice"),
    ],
)
def test_a_message_tells_of_everything_in_force(text: str, message: str) -> None:
    live = made()
    before = live.program
    with pytest.raises(LanguageError) as caught:
        live.add(text)
    assert message in str(caught.value)
    assert live.program == before


def test_what_others_derive_may_be_read_by_its_attributes() -> None:
    live = made()
    live.add(feeding("one", "logins", "made"))
    live.add("SUBSCRIBE two FROM made MATCH [v > 1]")
    with pytest.raises(LanguageError, match="unknown attribute 'w'"):
        live.add("SUBSCRIBE three FROM made MATCH [w > 1]")


def test_a_circle_through_others_is_refused_until_one_of_them_is_gone() -> None:
    live = made("DEFINE unused AS v > 2")
    live.add(feeding("one", "a", "b"))
    live.add(feeding("other", "a", "b"))
    live.add(feeding("two", "b", "c"))
    for _ in range(2):  # a refusal leaves nothing behind
        with pytest.raises(LanguageError, match="'three' would read its own derived events"):
            live.add(feeding("three", "c", "a"))
    live.remove("one")
    with pytest.raises(LanguageError, match="'three' would read its own derived events"):
        live.add(feeding("three", "c", "a"))
    live.remove("other")
    live.add(feeding("three", "c", "a"))
    assert names(live) == ["two", "three"]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), max_size=6), st.data())
def test_circles_are_those_of_what_is_in_force(
    edges: list[tuple[str, str]], data: st.DataObject
) -> None:
    live = made("DEFINE unused AS v > 2")
    known: dict[str, tuple[str, str]] = {}
    for number, edge in enumerate(edges):
        if known and data.draw(st.booleans()):
            gone = data.draw(st.sampled_from(sorted(known)))
            live.remove(gone)
            del known[gone]
        name = f"s{number}"
        try:
            live.add(feeding(name, *edge))
        except LanguageError:
            assert _reaches(edge[1], edge[0], [*known.values(), edge])
        else:
            assert not _reaches(edge[1], edge[0], [*known.values(), edge])
            known[name] = edge
    assert names(live) == list(known)


def _reaches(begin: str, end: str, edges: list[tuple[str, str]]) -> bool:
    reached = {begin}
    for _ in edges:
        reached |= {into for source, into in edges if source in reached}
    return end in reached


def test_only_what_a_text_speaks_of_is_checked_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    live = made(HEAD + ";\n".join(f"DEFINE d{i} AS v > {i}" for i in range(100)))
    live.add(";\n".join(feeding(f"f{i}", "logins", f"made{i}") for i in range(100)))
    sizes: list[int] = []
    real = live_module.check

    def counting(program: Program) -> object:
        sizes.append(len(program.statements))
        return real(program)

    monkeypatch.setattr(live_module, "check", counting)
    live.add("SUBSCRIBE one FROM made7 MATCH [d5]")
    assert sizes == [4]  # a stream, the derived one, the definition and the subscription


def test_a_restored_program_goes_on_like_the_one_it_was() -> None:
    live = made("DEFINE unused AS v > 2")
    live.add(feeding("one", "a", "b"))
    again = LiveProgram.restored(
        live.program, default_stream=live.default_stream, derived=live.derived
    )
    with pytest.raises(LanguageError, match="would read its own derived events"):
        again.add(feeding("two", "b", "a"))
    again.remove("one")
    again.add(feeding("two", "b", "a"))
    assert names(again) == ["two"]
