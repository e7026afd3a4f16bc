"""A pipeline's file is checked as a whole, before Spark starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tocsin.cli.pipeline import write_pipeline
from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline import read_pipeline

RIGHT = """
parts = 3
spark.sql.shuffle.partitions = 4
spark.speculation = false
[events]
time = "ts"
[sources.orders]
format = "json"
path = "events"
options = { multiLine = false, maxFilesPerTrigger = 1 }
[subscriptions]
files = ["rules.tocsin"]
[sinks.notifications]
format = "json"
path = "s3://bucket/out"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_pipeline(tmp_path)
    return tmp_path


def problems(project: Path, text: str) -> str:
    (project / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        read_pipeline(project / "wrong.toml")
    return str(refused.value).replace(f"{project}/", "")


def test_what_init_writes_is_right(project: Path) -> None:
    found = read_pipeline(project / "pipeline.toml")
    assert found.mode == "batch"
    assert list(found.sources) == ["orders"]
    assert found.columns.stream == "orders"
    assert [one.name for one in found.program.subscriptions] == ["unpaid", "returned"]
    assert found.log == project / "pipeline.log.jsonl"


def test_values_become_what_spark_takes(project: Path) -> None:
    (project / "right.toml").write_text(RIGHT, encoding="utf-8")
    found = read_pipeline(project / "right.toml")
    assert found.settings == {"spark.sql.shuffle.partitions": "4", "spark.speculation": "false"}
    assert found.sources["orders"].options == {"multiLine": "false", "maxFilesPerTrigger": "1"}
    assert found.sources["orders"].path == str(project / "events")
    assert found.sinks["notifications"].path == "s3://bucket/out"
    assert found.parts == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('time = "ts"', 'tiem = "ts"'),
        ('path = "events"', 'pth = "events"'),
        ("files =", "file ="),
        ("[sinks.notifications]", "[sinks.notification]"),
        ("[events]", "[event]"),
        ("[sources.orders]", "[source.orders]"),
        ("[subscriptions]", "[subscription]"),
    ],
)
def test_a_key_that_is_misspelt_is_not_missing_as_well(project: Path, old: str, new: str) -> None:
    found = problems(project, RIGHT.replace(old, new, 1))
    assert "there is no such key. Did you mean" in found
    assert "it is missing" not in found
    assert "there is no source" not in found


def test_a_key_that_is_only_like_a_missing_one_hides_nothing(project: Path) -> None:
    found = problems(project, RIGHT.replace('time = "ts"', 'timezone = "UTC"', 1))
    assert "events.timezone: there is no such key" in found
    assert "events.time: it is missing" in found


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            'path = "events"',
            'path = "events"\nschema = "ts string, `order` string, status string, amount double"',
            "sources.orders.schema: the column 'ts', which events.time names, is a string; it must",
        ),
        (
            'time = "ts"\n[sources.orders]',
            'time = "ts"\nrow = "who"\n[sources.orders]\nschema = "ts timestamp, who string"',
            "orders.schema: the column 'who', which events.row names, is a string; it must number",
        ),
        (
            'path = "s3://bucket/out"',
            'path = "s3://bucket/out"\npartition_by = ["kind", "subscr"]',
            "sinks.notifications.partition_by: there is no column 'subscr'. Did you mean 'subscri",
        ),
        (
            'path = "s3://bucket/out"',
            'path = "s3://bucket/out"\npartition_by = ["emit"]',
            "sinks.notifications.partition_by: 'emit' is a map, by which nothing can be partition",
        ),
        ("parts = 3", "prats = 3", "prats: there is no such key. Did you mean 'parts'?"),
        ("parts = 3", "parts = 0", "parts: it must be at least 1, and is 0"),
        ("parts = 3", 'reader = "sprak"', "reader: 'sprak' is unknown. Did you mean 'spark'?"),
        ("parts = 3", 'parts = "3"', "parts: it must be a whole number, and is a text"),
        ("parts = 3", 'mode = "steam"', "mode: 'steam' is unknown. Did you mean 'stream'?"),
        ('time = "ts"', "", 'events.time: it is missing; add [events] with time = "ts"'),
        ('time = "ts"', "time = 3", "events.time: it must be a text, and is a whole number"),
        ('time = "ts"', 'time = ""', "events.time: it is empty"),
        ('time = "ts"', 'time = "at"', "but STREAM orders says TIME ts; let both name one"),
        ('format = "json"\npath = "events"', "", "sources.orders.format: it is missing"),
        ('path = "events"', "", 'sources.orders.path: it is missing; json needs one'),
        ('path = "events"', 'path = "evens"', "sources.orders.path: there is no file or directory"),
        ('path = "events"', 'path = "events"\ntable = "t"', "orders.table: there is a path too"),
        ("sources.orders", "sources.oders", "sources for oders; did you mean 'oders'?"),
        ("maxFilesPerTrigger = 1", "x = [1]", "sources.orders.options.x: it must be a text, a num"),
        ('["rules.tocsin"]', "[1]", 'it must be a list of texts, as in files = ["one", "two"]'),
        ('["rules.tocsin"]', '["nothing.tocsin"]', "subscriptions.files: there is no file"),
        ('files = ["rules.tocsin"]', "", 'subscriptions.files: it is missing; add files = ["rul'),
        ("sinks.notifications", "sinks.notification", "Did you mean 'notifications'?"),
        ("sinks.notifications", "sinks.late", "in a batch no event is late; leave it out"),
        ("sinks.notifications", "sinks.forecasts", "no forecasts yet, since PREDICT does not run"),
        ("parts = 3", 'mode = "stream"', "stream.checkpoint: it is missing; add [stream] with"),
        ("[events]", '[stream]\ndelay = "soon"\n[events]', ""),
        ("4\n", "[4]\n", "spark.sql.shuffle.partitions: it must be a text, a number"),
        ("4\n", '"many"\n', "shuffle.partitions: it must be a whole number above 0, and is 'many'"),
        ("4\n", "0\n", "spark.sql.shuffle.partitions: it must be a whole number above 0"),
        ("sql.shuffle.partitions", "shuffle", "spark.shuffle: Spark would ignore it; did you mean"),
        ("speculation = false", 'driver.memory = "much"', "it must be a size such as \"4g\""),
        ("speculation = false", 'master = "my laptop"', 'spark.master: it must be "local[4]", "sp'),
        ("speculation = false", "speculation = 3", "spark.speculation: it must be true or false"),
        ("speculation = false", "driver.memory = false", "driver.memory: it must be a size such"),
        ("speculation = false", 'master = "sc://host"', "spark.master: 'sc://host' is Spark Conn"),
        ('path = "events"', 'path = "events"\nschema = "ts timestmap"', "schema: column 'ts': 't"),
        ('path = "events"', 'path = "events"\nschema = "ts"', "schema: column 'ts' has no type"),
        ('["rules.tocsin"]', '"rules.tocsin"', 'and is a text; write files = ["rules.tocsin"]'),
    ],
)  # fmt: skip
def test_a_wrong_key_is_named_with_what_to_do(project: Path, old: str, new: str, told: str) -> None:
    assert old in RIGHT
    text = RIGHT.replace(old, new, 1)
    if not told:  # in a batch nobody reads the table of streams beyond its keys
        (project / "right.toml").write_text(text, encoding="utf-8")
        assert read_pipeline(project / "right.toml").streaming is None
        return
    found = problems(project, text)
    assert told in found
    assert found.startswith("wrong.toml: ")


@pytest.mark.parametrize(
    "setting",
    [
        "sql.execution.arrow.maxRecordsPerBatch = 0",
        "sql.execution.arrow.maxRecordsPerBatch = -1",
        "executor.instances = 0",
        'master = "local-cluster[2,1,1024]"',
    ],
)
def test_values_that_spark_takes_are_taken(project: Path, setting: str) -> None:
    text = RIGHT.replace("speculation = false", setting, 1)
    (project / "right.toml").write_text(text, encoding="utf-8")
    assert read_pipeline(project / "right.toml").settings


@pytest.mark.parametrize("form", ["geoparquet", "geojson", "arrow", "ndjson", "oracle"])
def test_formats_that_jars_may_bring_are_not_refused(project: Path, form: str) -> None:
    text = RIGHT.replace('format = "json"', f'format = "{form}"', 1)
    (project / "right.toml").write_text(text, encoding="utf-8")
    assert read_pipeline(project / "right.toml").sources["orders"].format == form


def test_what_spark_can_partition_by_is_taken(project: Path) -> None:
    """Upper and lower case are the same to it, and a CSV file has JSON where there were maps."""
    path = 'format = "json"\npath = "s3://bucket/out"'
    for form, column in (("parquet", "Kind"), ("csv", "emit")):
        own = f'format = "{form}"\npath = "s3://bucket/out"\npartition_by = ["{column}"]'
        (project / "right.toml").write_text(RIGHT.replace(path, own), encoding="utf-8")
        assert read_pipeline(project / "right.toml").sinks["notifications"].partition_by == (
            column,
        )


def test_all_problems_are_told_at_once(project: Path) -> None:
    text = RIGHT.replace("parts", "prats").replace('time = "ts"', "tiem = 3")
    assert len(problems(project, text).splitlines()) == 2


def test_a_delay_is_a_length_of_time(project: Path) -> None:
    text = f'mode = "stream"\n{RIGHT}\n[stream]\ncheckpoint = "c"\ndelay = "soon"\n'
    assert "stream.delay: " in problems(project, text)


STREAM = '[stream]\ncheckpoint = "c"\n'
SCHEMA = "ts timestamp, `order` string, status string, amount double"
WATCHED = '[subscriptions.watched]\nformat = "json"\npath = "events"\n'
FILES = '[subscriptions]\nfiles = ["rules.tocsin"]\n'


def stream_of(*changes: tuple[str, str]) -> str:
    text = RIGHT.replace("parts = 3", 'mode = "stream"') + STREAM
    text = text.replace('path = "events"', f'path = "events"\nschema = "{SCHEMA}"', 1)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([('mode = "stream"', 'mode = "stream"\nparts = 3')], "parts: only a batch is split"),
        ([(f'schema = "{SCHEMA}"', "")], "sources.orders.schema: a stream of files needs it; add"),
        ([('mode = "stream"', 'mode = "stream"\nreader = "spark"')], "reader: Spark reads what"),
        ([(STREAM, f"{STREAM}buckets = 0")], "stream.buckets: it must be at least 1, and is 0"),
        ([(STREAM, f'{STREAM}shards = "2"')], "stream.shards: it must be a whole number"),
        ([(STREAM, f'{STREAM}start = "soon"')], "stream.start: "),
        ([(STREAM, f'{STREAM}trigger = "now"')], "stream.trigger: 'now' is no interval of Spark"),
        ([(STREAM, f'{STREAM}versions = "v"')], "stream.versions: only [subscriptions.watched] "),
        ([(FILES, f"{FILES}{WATCHED}")], "subscriptions.files: there is a watched table too"),
        ([(FILES, WATCHED + WATCHED.replace("watched", "table"))], "subscriptions.table: it fills"),
        ([(FILES, WATCHED), ('mode = "stream"', "")], "watched: only a stream can watch a table"),
        ([(FILES, WATCHED), (STREAM, f"{STREAM}buckets = 2")], "stream.buckets: a watched table"),
        ([(FILES, WATCHED), (STREAM, f'{STREAM}versions = "s3://v"')], "'s3://v' has a scheme"),
        ([(FILES, WATCHED), ('"c"', '"s3://c"')], "stream.versions: it is missing, and cannot st"),
        ([(FILES, WATCHED.replace("events", "rules"))], "subscriptions.watched.path: there is no"),
        ([(FILES, WATCHED.replace("path", "paht"))], "watched.paht: there is no such key. Did you"),
    ],
)  # fmt: skip
def test_keys_of_streams_are_checked(
    project: Path, changes: list[tuple[str, str]], told: str
) -> None:
    assert told in problems(project, stream_of(*changes))


@pytest.mark.parametrize(
    "start", ["1961-04-12T06:07:00Z", '"1961-04-12T06:07:00Z"', "-275248380000"]
)
def test_what_a_stream_may_say(project: Path, start: str) -> None:
    more = f"{STREAM}start = {start}\nbuckets = 5\nshards = 2\n"
    (project / "right.toml").write_text(stream_of((STREAM, more)), encoding="utf-8")
    found = read_pipeline(project / "right.toml").streaming
    assert found is not None
    said = {"delay": "0 s", "start": -275_248_380_000_000, "buckets": 5, "shards": 2}
    assert found.options() == said


def test_a_watched_table_has_its_versions_in_the_checkpoint(project: Path) -> None:
    (project / "right.toml").write_text(stream_of((FILES, WATCHED)), encoding="utf-8")
    found = read_pipeline(project / "right.toml")
    assert found.watched is not None
    assert found.watched.path == str(project / "events")
    assert found.streaming is not None
    assert found.streaming.versions == str(project / "c" / "versions")


def test_keys_of_streams_may_stay_in_a_batch(project: Path) -> None:
    more = '[stream]\nstart = 1961-04-12\nbuckets = 5\nshards = 2\nversions = "v"\n'
    (project / "right.toml").write_text(RIGHT + more, encoding="utf-8")
    assert read_pipeline(project / "right.toml").streaming is None


def test_errors_of_the_language_have_file_line_and_caret(project: Path) -> None:
    (project / "a.tocsin").write_text("-- one\nSUBSCRIBE a FROM orders MATCH a:[x = 1]\n", "utf-8")
    (project / "b.tocsin").write_text("\nSUBSCRIBE b FROM orders MATCH x:[x = y.x]\n", "utf-8")
    found = problems(project, RIGHT.replace('["rules.tocsin"]', '["a.tocsin", "b.tocsin"]'))
    assert "subscriptions.files: b.tocsin:2:38: unknown alias 'y'" in found
    assert f"  SUBSCRIBE b FROM orders MATCH x:[x = y.x]\n  {' ' * 37}^" in found


def test_a_file_of_subscriptions_may_leave_out_its_last_semicolon(project: Path) -> None:
    for name, end in (("a", ""), ("b", ";"), ("c", " -- the last")):
        text = f"SUBSCRIBE {name} FROM orders MATCH [x = 1]{end}"
        (project / f"{name}.tocsin").write_text(text, encoding="utf-8")
    files = '["a.tocsin", "b.tocsin", "c.tocsin"]'
    (project / "three.toml").write_text(RIGHT.replace('["rules.tocsin"]', files), encoding="utf-8")
    found = read_pipeline(project / "three.toml").program
    assert [one.name for one in found.subscriptions] == ["a", "b", "c"]


def test_parameters_need_a_table(project: Path) -> None:
    text = "SUBSCRIBE a_{n} FROM orders MATCH [amount > {n}]"
    (project / "rules.tocsin").write_text(text, encoding="utf-8")
    assert "add [subscriptions.table], which fills them" in problems(project, RIGHT)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("time = ts", 'texts stand in quotes, as in time = "ts"'),
        ("[events]\n[events]", "; name each key once"),
        ("parts = 1\nparts = 2", "; name each key once"),
        ("", "sources: there is no sou"),
    ],
)
def test_a_file_that_says_nothing_is_refused(project: Path, text: str, told: str) -> None:
    assert told in problems(project, text)


def test_a_missing_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="tocsin pipeline init writes one"):
        read_pipeline(tmp_path / "nothing.toml")
