"""The plan as text, DOT and drawing; TOCSIN_UPDATE_GOLDEN=1 writes the golden files anew."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given

from tocsin.language.live import LiveProgram
from tocsin.language.parser import parse, parse_expression
from tocsin.plan.graph import Memory, PlanGraph, plan_graph
from tocsin.plan.graph.access import access_of
from tocsin.plan.graph.dot import to_dot
from tocsin.plan.graph.layout import BOX_WIDTH, lay_out
from tocsin.plan.graph.svg import to_svg
from tocsin.plan.graph.text import to_text
from tocsin.testing.runnable import runnable_programs

GOLDEN = Path(__file__).parent / "golden"
PROGRAMS = sorted(GOLDEN.glob("*.tocsin"))
SVG = "{http://www.w3.org/2000/svg}"


def plan(text: str) -> PlanGraph:
    program = parse(text)
    return plan_graph(LiveProgram(program).normal(program.subscriptions))


@pytest.mark.parametrize("ending", ["txt", "dot"])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_plan_reads_as_it_did(path: Path, ending: str) -> None:
    graph = plan(path.read_text(encoding="utf-8"))
    shown = f"{to_text(graph) if ending == 'txt' else to_dot(graph)}\n"
    golden = path.with_suffix(f".{ending}")
    if os.environ.get("TOCSIN_UPDATE_GOLDEN") == "1":
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_drawing_shows_every_state_machine_and_filter(path: Path) -> None:
    graph = plan(path.read_text(encoding="utf-8"))
    root = ET.fromstring(to_svg(graph))
    shown = {group.get("id") for group in root.iter(f"{SVG}g")}
    assert {f"S{state.number}" for state in graph.states} <= shown
    assert {f"M{machine.number}" for machine in graph.machines} <= shown
    words = " ".join(text for text in root.itertext())
    assert all(f"F{one.number}: {one.text}" in words for one in graph.filters)
    assert "takes one more" in words


def test_every_arrow_of_a_drawing_leads_to_the_right() -> None:
    graph = plan("SUBSCRIBE s MATCH a:[x = 1] ; b:[x = 2]? ; c:[x = 3]{1,3} , d:[x = 4]")
    for arrow in lay_out(graph, 1).arrows:
        assert arrow.source.x + BOX_WIDTH < arrow.target.x


def test_no_two_states_of_a_drawing_overlap() -> None:
    graph = plan("SUBSCRIBE s MATCH a:[x = 1] ; b:[x = 2]? ; c:[x = 3]? ; d:[x = 4]{1,3}")
    boxes = lay_out(graph, 1).boxes
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            is_beside = one.x != other.x
            assert is_beside or one.y + one.height <= other.y or other.y + other.height <= one.y


def test_prefixes_are_shared_whatever_aliases_variables_and_windows_are() -> None:
    graph = plan(
        "SUBSCRIBE s MATCH a:[x = 1 AND k = $k] ; b:[k = $k] ; c:[x = 3] WITHIN 5 min;"
        "SUBSCRIBE t MATCH d:[k = $m AND x = 1] ; e:[k = $m] WITHIN 1 hour"
    )
    assert [state.owners for state in graph.states[1:]] == [("s", "t"), ("s", "t"), ("s",)]
    assert [edge.window for edge in graph.edges_from(2) if edge.kind == "forward"] == [
        "WITHIN 5 min or WITHIN 1 hour"
    ]


def test_what_ends_one_way_is_not_said_of_another() -> None:
    graph = plan(
        "SUBSCRIBE s MATCH a:[x = 1] ; !b:[x = 2] ; c:[x = 3];"
        "SUBSCRIBE t MATCH d:[x = 1] ; e:[x = 3]"
    )
    told = [(edge.title, edge.towards) for edge in graph.edges_from(2) if edge.kind == "filter"]
    assert told == [("stays on any event", 3), ("ends at", 3), ("stays on any event", 4)]


def test_a_way_that_is_shared_is_told_once_whatever_its_names_are() -> None:
    graph = plan(
        "SUBSCRIBE s MATCH a:[k = $k] -> b:[k = $k]; SUBSCRIBE t MATCH c:[k = $m] -> d:[k = $m]"
    )
    assert [edge.kind for edge in graph.edges_from(2)] == ["forward", "filter"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a:[x = 1] ; b:[x = 2]", "a:[x = 2] ; b:[x = 2]"),
        ("a:[x = 1] , b:[x = 2]", "[y = 1] , a:[x = 1] , b:[x = 2]"),
    ],
)
def test_another_way_leads_to_another_state(one: str, other: str) -> None:
    graph = plan(f"SUBSCRIBE s MATCH {one}; SUBSCRIBE t MATCH {other}")
    assert graph.shared_states == ()


def test_subscriptions_of_different_streams_share_filters_but_no_states() -> None:
    graph = plan("SUBSCRIBE s FROM p MATCH a:[x = 1]; SUBSCRIBE t FROM q MATCH a:[x = 1]")
    assert [one.owners for one in graph.filters] == [("s", "t")]
    assert graph.shared_states == ()


def test_the_slower_road_says_which_operator_asks_for_it() -> None:
    graph = plan("SUBSCRIBE s MATCH a:[x = 1] & b:[x = 2]; SUBSCRIBE t MATCH nth(2, a:[x = 1])")
    assert [(road.road, road.reason) for road in graph.roads] == [
        ("general", "&"),
        ("general", "nth"),
    ]


def test_memory_is_shown_where_an_engine_has_told_of_it() -> None:
    program = parse("SUBSCRIBE s MATCH [x = 1]; SUBSCRIBE t MATCH [x = 2]")
    normal = LiveProgram(program).normal(program.subscriptions)
    graph = plan_graph(normal, of_lane={("default",): Memory(1_000, 3_000, 9_000)})
    shown = to_text(graph)
    assert shown.count("memory: 2,000 bytes, its share of M1") == 2
    memory = "13,000 bytes: index 1,000, plan 3,000, state 9,000"
    assert f"\n  memory: {memory}\n" in shown
    assert f"\\n{memory}" in to_dot(graph)
    assert f", {memory}<" in to_svg(graph)
    assert "memory" not in to_text(plan_graph(normal))


def test_on_the_general_road_memory_belongs_to_one_subscription() -> None:
    program = parse("SUBSCRIBE s MATCH a:[x = 1] & b:[x = 2]")
    normal = LiveProgram(program).normal(program.subscriptions)
    graph = plan_graph(normal, of_watch={"s": Memory(10, 200, 3_000)})
    assert "memory: 3,210 bytes\n" in to_text(graph)
    assert [one.memory for one in graph.machines] == [Memory(10, 200, 3_000)]


@pytest.mark.parametrize(
    ("condition", "access"),
    [
        ("x = 1", "hash on x"),
        ("x = 1 AND y = 2 AND z = 3", "hash on x, y, then equality of z"),
        ("x > 1 AND y = 2", "hash on y, then range on x"),
        ("x BETWEEN 1 AND 2", "range on x"),
        ("x != 1", "scan for range on x"),
        ("x IN (1, 2)", "IN on x"),
        ("x NOT IN (1, 2)", "scan for IN on x"),
        ("name STARTS WITH 'a'", "text set of name"),
        ("NOT (name LIKE 'a%b')", "scan for text set of name"),
        ("x IS MISSING", "scan for presence of x"),
        ("x + y > 3", "scan for program"),
        ("TRUE", "every event"),
        ("x = 1 AND FALSE", "never"),
        ("x = {value}", "hash on x"),
        ("rent IS cheap", "not indexed"),
    ],
)
def test_an_index_serves_a_condition(condition: str, access: str) -> None:
    assert access_of(parse_expression(condition)) == (access,)


def test_quotes_and_backslashes_are_escaped_in_dot_and_svg() -> None:
    graph = plan("SUBSCRIBE s MATCH a:[name MATCHES '\\d <b> & \"q\"']")
    assert '\\\\d <b> & \\"q\\"' in to_dot(graph)
    words = " ".join(ET.fromstring(to_svg(graph)).itertext())
    assert '\\d <b> & "q"' in words


@given(runnable_programs(max_subscriptions=3))
def test_every_program_that_runs_can_be_planned_and_drawn(text: str) -> None:
    graph = plan(text)
    assert to_text(graph).startswith("Plan: ")
    assert to_dot(graph).endswith("}")
    shown = {group.get("id") for group in ET.fromstring(to_svg(graph)).iter(f"{SVG}g")}
    assert {f"S{state.number}" for state in graph.states} <= shown
    reported = {name for state in graph.states for name in state.accepts}
    assert {road.name for road in graph.roads} <= reported
    for edge in graph.edges:
        source, target = graph.states[edge.source - 1], graph.states[edge.target - 1]
        assert source.machine == target.machine
        assert (edge.kind == "forward") == (edge.source != edge.target)
