"""Declared schemas are held against what is read of them, before Spark starts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tocsin.errors import ConfigurationError
from tocsin.spark.missing import column_named, column_read
from tocsin.spark.pipeline import read_pipeline, run_pipeline
from tocsin.spark.pipeline.column_check import notes_on_columns
from tocsin.spark.pipeline.ddl import column_names

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULE = "SUBSCRIBE denied FROM logins MATCH a:[status = 'denied'] ; b:[ip = a.ip] EMIT a.ip AS ip"
SCHEMA = "ts timestamp, ip string, status string"
NAMES = ("ts", "ip", "status")
PLACED = "at timestamp, ip string, state string"
TOML = """
events = { time = "ts"%s }
subscriptions.files = ["rules.tocsin"]
sinks.notifications = { format = "json", path = "out" }
"""


def project(
    folder: Path, *sources: str, rule: str = RULE, events: str = "", more: str = ""
) -> Path:
    """Write a pipeline whose sources are `name: keys`, each with a folder of its own."""
    file = folder / "p.toml"
    text = [TOML % events, more]
    for source in sources:
        name, _, keys = source.partition(": ")
        (folder / name).mkdir(exist_ok=True)
        text.append(f'[sources.{name}]\nformat = "csv"\npath = "{name}"\n{keys}\n')
    file.write_text("\n".join(text), encoding="utf-8")
    (folder / "rules.tocsin").write_text(rule, encoding="utf-8")
    return file


def told(file: Path) -> list[str]:
    """Return what the check refuses, and its notes; nothing where all is right."""
    try:
        return [f"note: {note}" for note in notes_on_columns(read_pipeline(file))]
    except ConfigurationError as error:
        return [line.removeprefix(f"{file}: ") for line in str(error).splitlines()]


def test_a_schema_that_has_what_is_read_is_right(tmp_path: Path) -> None:
    assert told(project(tmp_path, f'logins: schema = "{SCHEMA}"')) == []


@pytest.mark.parametrize("option", ["end", "order", "row", "streams"])
def test_columns_that_events_name_must_be_there(tmp_path: Path, option: str) -> None:
    file = project(
        tmp_path, f'logins: schema = "{SCHEMA}, {option}s int"', events=f', {option} = "{option}"'
    )
    said = column_named("it", option, f"events.{option}", (*NAMES, f"{option}s"))
    assert told(file) == [f"sources.logins.schema: {said}"]
    assert said.endswith(f"; did you mean '{option}s'?")


def test_every_source_needs_the_time(tmp_path: Path) -> None:
    file = project(tmp_path, f'logins: schema = "{SCHEMA}"', 'files: schema = "at date, ip int"')
    said = "it has no column 'ts', which events.time names; it has at, ip"
    assert told(file) == [f"sources.files.schema: {said}"]


def test_a_column_that_a_subscription_reads_must_be_there(tmp_path: Path) -> None:
    file = project(tmp_path, 'logins: schema = "ts timestamp, ip string, stauts string"')
    said = column_read("denied", "status", "logins", ["ts", "ip", "stauts"])
    assert told(file) == [f"sources.logins.schema: {said}"]
    assert said.endswith("; did you mean 'stauts'?")


def test_a_column_is_told_once_however_many_read_it(tmp_path: Path) -> None:
    rules = "; ".join(f"SUBSCRIBE s{n} FROM logins MATCH [v = {n}]" for n in range(3))
    (found,) = told(project(tmp_path, f'logins: schema = "{SCHEMA}"', rule=rules))
    assert "subscription 's0' reads 'v' of stream 'logins'" in found


def test_case_counts_as_it_does_for_frames(tmp_path: Path) -> None:
    (found,) = told(project(tmp_path, 'logins: schema = "ts date, IP string, status string"'))
    assert "reads 'ip' of stream 'logins'" in found
    assert found.endswith("did you mean 'IP'?")


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        ("", RULE),
        (f'schema = "{SCHEMA}"\nselect = ["*", "upper(ip)"]', "SUBSCRIBE s MATCH [x = 1]"),
        (f'schema = "{SCHEMA}"\nselect = ["*", "`ip` as `x`"]', "SUBSCRIBE s MATCH [x = 1]"),
        (f'schema = "{SCHEMA}"\nselect = ["ts", "current_date"]', "SUBSCRIBE s MATCH [x = 1]"),
        (f'schema = "{SCHEMA}"\nselect = ["ts", "*  EXCEPT (ip)"]', RULE),
        (f'schema = "{PLACED}"\nselect = ["at AS ts", "*", "state AS status"]', RULE),
        (f'schema = "{SCHEMA}"\noptions = {{ path = "elsewhere" }}', "SUBSCRIBE s MATCH [x = 1]"),
        (f'schema = "{SCHEMA}"', "SUBSCRIBE s FROM logins MATCH [\"$stream\" = 'logins']"),
    ],
    ids=["no schema", "no name", "a name", "no column", "EXCEPT", "renamed", "two paths", "own"],
)  # fmt: skip
def test_what_is_not_certain_is_not_refused(tmp_path: Path, keys: str, rule: str) -> None:
    assert told(project(tmp_path, f"logins: {keys}", rule=rule)) == []


def test_selected_columns_are_those_that_count(tmp_path: Path) -> None:
    keys = f'schema = "{SCHEMA}"\nselect = ["ts", "ip AS address", "status"]'
    (found,) = told(project(tmp_path, f"logins: {keys}"))
    assert found.startswith("sources.logins.select: subscription 'denied' reads 'ip' of stream")
    assert found.endswith("they have ts, address, status")


def test_folders_give_columns_that_no_schema_has(tmp_path: Path) -> None:
    rule = "SUBSCRIBE s FROM logins MATCH [day = 3]"
    file = project(tmp_path, f'logins: schema = "{SCHEMA}"', rule=rule)
    assert len(told(file)) == 1
    (tmp_path / "logins" / "old" / "day=3").mkdir(parents=True)
    assert told(file) == []
    selected = f'logins: schema = "{SCHEMA}"\nselect = ["ts", "ip"]'
    assert len(told(project(tmp_path, selected, rule=rule))) == 1


@pytest.mark.parametrize("place", ["s3://bucket/logins", "logins/*", "log?ns/*/*.csv"])
def test_of_folders_that_only_spark_can_see_there_is_a_note(tmp_path: Path, place: str) -> None:
    rule = "SUBSCRIBE s FROM logins MATCH [day = 3]"
    file = project(tmp_path, f'logins: schema = "{SCHEMA}"', rule=rule)
    text = file.read_text(encoding="utf-8").replace('"logins"', f'"{place}"')
    file.write_text(text, encoding="utf-8")
    (found,) = told(file)
    assert found.startswith("note: sources.logins.schema: subscription 's' reads 'day' of stream")
    assert found.endswith("(unless a folder such as day=… gives it)")


def test_folders_may_link_back(tmp_path: Path) -> None:
    rule = "SUBSCRIBE s FROM logins MATCH [day = 3]"
    file = project(tmp_path, f'logins: schema = "{SCHEMA}"', rule=rule)
    (tmp_path / "logins" / "old").mkdir()
    for name in ("one", "two"):
        (tmp_path / "logins" / "old" / name).symlink_to(tmp_path / "logins")
    assert len(told(file)) == 1


def test_a_column_of_another_source_is_worth_a_note(tmp_path: Path) -> None:
    """One frame holds all sources, so that a run does not refuse it."""
    rule = "SUBSCRIBE s FROM logins MATCH [size > 1]"
    logins = f'logins: schema = "{SCHEMA}"'
    for other in ('files: schema = "ts timestamp, size int"', "files: "):
        (found,) = told(project(tmp_path, logins, other, rule=rule))
        assert found.startswith("note: sources.logins.schema: subscription 's' reads 'size' of")
    (found,) = told(project(tmp_path, logins, 'files: schema = "ts date"', rule=rule))
    assert found.startswith("sources.logins.schema: subscription 's' reads 'size' of")


def test_an_atom_of_two_streams_may_find_its_column_in_one(tmp_path: Path) -> None:
    sources = (f'logins: schema = "{SCHEMA}"', 'files: schema = "ts timestamp, size int"')
    rule = "SUBSCRIBE s FROM logins, files MATCH [size > 1]"
    assert told(project(tmp_path, *sources, rule=rule)) == []


def test_derived_events_have_the_columns_that_emit_gives(tmp_path: Path) -> None:
    rule = """
    SUBSCRIBE first FROM logins MATCH a:[status = 'denied'] EMIT a.ip AS address INTO denials;
    SUBSCRIBE second FROM denials MATCH [address = '10.0.0.1']
    """
    assert told(project(tmp_path, f'logins: schema = "{SCHEMA}"', rule=rule)) == []


def test_a_column_names_the_streams_of_one_source(tmp_path: Path) -> None:
    rule = "SUBSCRIBE s FROM one, two MATCH [kind = 'one' AND x = 1]"
    keys = 'all: schema = "ts timestamp, kind string"'
    (found,) = told(project(tmp_path, keys, rule=rule, events=', streams = "kind"'))
    assert "sources.all.schema: subscription 's' reads 'x' of stream 'one'" in found


def test_a_stream_without_a_source_is_told_with_its_subscription(tmp_path: Path) -> None:
    rule = RULE.replace("logins", "login")
    (found,) = told(project(tmp_path, f'logins: schema = "{SCHEMA}"', rule=rule))
    said = "subscription 'denied' reads the stream 'login', but there are sources for logins"
    assert found == f"sources: {said}; did you mean 'logins'?"
    rule = RULE.replace("logins", "files")
    (found,) = told(project(tmp_path, f'logins: schema = "{SCHEMA}"', rule=rule))
    assert found.endswith("there are sources for logins; add [sources.files]")


TABLE = '[subscriptions.table]\nformat = "json"\npath = "rows"\n'


def template(folder: Path, rule: str) -> list[str]:
    (folder / "rows").mkdir(exist_ok=True)
    text = project(folder, f'logins: schema = "{SCHEMA}"', rule=rule).read_text(encoding="utf-8")
    (folder / "t.toml").write_text(f"{text}\n{TABLE}", encoding="utf-8")
    return told(folder / "t.toml")


def test_templates_are_checked_as_far_as_they_stand(tmp_path: Path) -> None:
    (found,) = template(tmp_path, "SUBSCRIBE at_{n} FROM logins MATCH [v = {n} AND ip = '1']")
    assert "subscription 'at_{n}' reads 'v' of stream 'logins'" in found


def test_templates_whose_form_a_table_decides_are_left_to_the_run(tmp_path: Path) -> None:
    """The check once ended with `pass a table that fills it`, though there was one."""
    assert (
        template(tmp_path, "SUBSCRIBE s_{n} FROM logins MATCH a:[v = 1] ; !b:[v = 2] FOR {n}") == []
    )
    (found,) = template(tmp_path, "SUBSCRIBE s_{n} FROM login MATCH a:[v = 1] ; !b:[v = 2] FOR {n}")
    assert "reads the stream 'login'" in found


def test_of_a_watched_table_only_the_columns_of_events_are_known(tmp_path: Path) -> None:
    more = 'mode = "stream"\nstream.checkpoint = "checkpoint"\n'
    file = project(tmp_path, f'logins: schema = "{SCHEMA}"', events=', order = "n"')
    text = file.read_text(encoding="utf-8")
    text = text.replace('files = ["rules.tocsin"]', 'watched = { table = "rules" }')
    file.write_text(more + text, encoding="utf-8")
    said = "it has no column 'n', which events.order names; it has ts, ip, status"
    assert told(file) == [f"sources.logins.schema: {said}"]


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        ("ts timestamp,\n v int", ("ts", "v")),
        ("ts: timestamp, v: int", ("ts", "v")),
        ("a struct<b: int, c: array<map<string, int>>>, d decimal(10,2)", ("a", "d")),
        ("`a, b` int, `c``d` int NOT NULL", ("a, b", "c`d")),
        (r"a int COMMENT 'it\'s b, c int', d int COMMENT \"(, e\"", ("a", "d")),
        ("a int, -- b int,\n c int /* , d\nint */", ("a", "c")),
        ("Ünï string, 1st int, `select` int", ("Ünï", "1st", "select")),
        ("struct<a: int>", None),
        ("my-col int, b int", None),
        ('"a" int', None),
        ("a array<int, b int", None),
        ("a int>, b array<int", None),
        ("a int,", None),
    ],
)
def test_columns_of_a_schema_are_known_where_they_are_certain(
    schema: str, names: tuple[str, ...] | None
) -> None:
    assert column_names(schema.replace('\\"', '"')) == names


@pytest.mark.spark
def test_a_run_takes_what_the_check_leaves_open(spark: SparkSession, tmp_path: Path) -> None:
    """Spark gives the columns of folders, and one frame holds the columns of all sources."""
    rule = """
    SUBSCRIBE of_folder FROM logins MATCH [day = 3];
    SUBSCRIBE of_another FROM logins MATCH [size IS MISSING]
    """
    sources = ('logins: schema = "ts bigint, v int"', 'files: schema = "ts bigint, size int"')
    file = project(tmp_path, *sources, rule=rule)
    (tmp_path / "logins" / "day=3").mkdir()
    (tmp_path / "logins" / "day=3" / "0.csv").write_text("ts,v\n1000,1\n", encoding="utf-8")
    (found,) = told(file)
    assert "subscription 'of_another' reads 'size'" in found
    assert run_pipeline(file, spark=spark)["notifications"] == 2
