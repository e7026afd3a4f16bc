import io
import json
from types import MappingProxyType

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.event import Event, Schema
from tocsin.model.notification import Notification
from tocsin.model.read.jsonl import read_jsonl
from tocsin.model.rows import CONTROLS, TIME_NAMES, Clock, Intake, Step, Subscribe, Unsubscribe
from tocsin.model.times import TimeForm
from tocsin.model.values import INTEGER_MAX, Duration, Kind, Timestamp

LOGINS = Schema(
    {"ts": Kind.TIMESTAMP, "ip": Kind.STRING, "tries": Kind.INTEGER, "seen": Kind.TIMESTAMP}, "ts"
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
NAMES = st.sampled_from([*CONTROLS, *TIME_NAMES, "ip", "tries", "seen", "$strem"]) | st.text()
TIMES = st.integers(0, 20) | st.sampled_from(["1970-01-01T00:00:00.005Z", "noon"])
ROWS = st.dictionaries(NAMES, TIMES | JSON, max_size=5) | JSON


def plain(*, time: str | None = None) -> Intake:
    return Intake({}, default_stream="s", time=time)


def event(step: Step | DeadLetter) -> Event:
    assert isinstance(step, Event), step
    return step


def letter(step: Step | DeadLetter) -> DeadLetter:
    assert isinstance(step, DeadLetter), step
    return step


class TestEvents:
    def test_a_row_becomes_an_event_of_the_default_stream(self) -> None:
        found = plain().accept(7, {"ts": 1000, "ip": "a", "rent": None, "x": float("nan")})
        second = Timestamp(1_000_000)
        assert found == Event("s", 7, second, second, {"ts": second, "ip": "a"})

    def test_the_row_says_its_stream(self) -> None:
        assert event(plain().accept(0, {"ts": 1, "$stream": "asks"})).stream == "asks"

    def test_a_stream_that_is_null_is_the_default_stream(self) -> None:
        assert event(plain().accept(0, {"ts": 1, "$stream": None})).stream == "s"

    def test_an_event_may_last(self) -> None:
        found = event(plain().accept(0, {"ts": 1, "$end": 3}))
        assert (found.begin, found.end) == (1000, 3000)
        assert "$end" not in found.values

    def test_any_mapping_is_a_row(self) -> None:
        assert event(plain().accept(0, MappingProxyType({"ts": 1}))).begin == 1000

    def test_declared_attributes_take_their_type(self) -> None:
        intake = Intake({"logins": LOGINS}, default_stream="logins")
        row = {"ts": "1970-01-01T00:00:01Z", "tries": 3.0, "seen": 5, "other": 1}
        assert event(intake.accept(0, row)).values == {
            "ts": Timestamp(1_000_000),
            "tries": 3,
            "seen": Timestamp(5_000),
            "other": 1,
        }

    def test_a_time_declared_as_an_integer_stays_an_integer(self) -> None:
        intake = Intake({"s": Schema({"n": Kind.INTEGER}, "n")}, default_stream="s")
        found = event(intake.accept(0, {"n": 5}))
        assert found.begin == 5000
        assert type(found.values["n"]) is int

    def test_durations_pass(self) -> None:
        row = {"ts": 1, "took": pd.Timedelta("1s")}
        assert event(plain().accept(0, row)).values["took"] == Duration(1_000_000)


class TestNestedValues:
    def test_where_nothing_is_declared_they_are_left_out(self) -> None:
        row = {"ts": 1, "tags": ["a"], "by": {"name": "b"}, "n": 1}
        found = event(plain().accept(0, row))
        assert found.values == {"ts": Timestamp(1000), "n": 1}

    def test_in_a_declared_attribute_they_make_a_dead_letter(self) -> None:
        intake = Intake({"logins": LOGINS}, default_stream="logins")
        found = letter(intake.accept(0, {"ts": 1, "ip": ["a"]}))
        assert (found.kind, found.raw) == ("bad_type", '{"ts": 1, "ip": ["a"]}')
        assert "attribute 'ip': [\"a\"] is a list, which no event carries" in found.reason
        assert event(intake.accept(1, {"ts": 1, "other": ["a"]})).values == {"ts": Timestamp(1000)}

    @pytest.mark.parametrize("time", ["ts", "time", "timestamp"])
    def test_what_carries_the_time_counts_as_declared(self, time: str) -> None:
        assert letter(plain().accept(0, {time: [1]})).kind == "bad_type"
        intake = plain()
        intake.accept(0, {time: 1})
        assert letter(intake.accept(1, {time: [2]})).kind == "bad_type"

    @pytest.mark.parametrize("name", ["x", "ip", "ts", "$end"])
    def test_a_fuzzy_value_is_a_dead_letter_everywhere(self, name: str) -> None:
        intake = Intake({"logins": LOGINS}, default_stream="logins")
        assert letter(intake.accept(0, {"ts": 1, name: {"fuzzy": 1}})).kind == "fuzzy"

    def test_what_tocsin_writes_it_can_read(self) -> None:
        moment = Timestamp(1_000_500)
        one = Notification("n", "match", moment, 0, moment, moment, {"a": (0,)}, {"x": 1}, {"y": 2})
        for form in TimeForm:
            [(_, row)] = read_jsonl(io.BytesIO(json.dumps(one.to_dict(form)).encode()))
            found = event(plain(time="at").accept(0, row))
            assert found.begin == moment
            assert found.values["subscription"] == "n"
            assert not {"events", "variables", "emit"} & set(found.values)


def test_seconds_as_a_float_are_a_dead_letter_that_says_so() -> None:
    assert event(plain().accept(0, {"ts": 1777629600000.0})).begin == 1_777_629_600_000_000
    found = letter(plain().accept(0, {"ts": 1777629600.5}))
    assert found.kind == "bad_time"
    assert found.reason == (
        "attribute 'ts': 1777629600.5 is not a time: numbers are whole milliseconds; "
        "multiply seconds by 1000 and round"
    )


def test_a_dead_letter_shows_nanoseconds() -> None:
    found = letter(plain().accept(0, {"ts": pd.Timestamp("2026-03-01T12:00:00.000000001Z")}))
    assert found.kind == "bad_time"
    assert ".dt.floor('us')" in found.reason
    assert found.raw == '{"ts": "2026-03-01T12:00:00.000000001+00:00"}'


class TestTimeAttribute:
    @pytest.mark.parametrize(
        ("row", "name"),
        [
            ({"timestamp": 3, "time": 2, "ts": 1}, "ts"),
            ({"timestamp": 3, "time": 2}, "time"),
            ({"timestamp": 3}, "timestamp"),
            ({"ts": None, "time": float("nan"), "timestamp": 3}, "timestamp"),
        ],
    )
    def test_it_is_the_first_of_three_that_the_first_event_has(
        self, row: dict[str, object], name: str
    ) -> None:
        found = event(plain().accept(0, row))
        assert found.begin == row[name] * 1000  # type: ignore[operator]
        assert type(found.values[name]) is Timestamp

    def test_it_stays_what_the_first_event_settled(self) -> None:
        intake = plain()
        intake.accept(0, {"time": 1})
        assert event(intake.accept(1, {"time": 2, "ts": 9})).begin == 2000
        assert letter(intake.accept(2, {"ts": 9})).reason == (
            "attribute 'time' is missing; it carries the time of stream 's'"
        )

    def test_a_dead_letter_settles_nothing(self) -> None:
        intake = plain()
        assert letter(intake.accept(0, {"ts": "noon"})).kind == "bad_time"
        assert event(intake.accept(1, {"time": 1})).begin == 1000

    def test_each_stream_has_its_own(self) -> None:
        intake = plain()
        intake.accept(0, {"ts": 1})
        assert event(intake.accept(1, {"time": 2, "$stream": "b"})).begin == 2000

    def test_an_option_names_it(self) -> None:
        intake = plain(time="when")
        assert event(intake.accept(0, {"when": 5, "ts": 1})).begin == 5000
        assert letter(intake.accept(1, {"ts": 6})).kind == "bad_time"

    def test_without_one_events_take_the_time_of_the_clock(self) -> None:
        intake = plain()
        assert event(intake.accept(0, {"x": 1})).begin == 0
        intake.accept(1, {"ts": 5, "$stream": "b"})
        assert event(intake.accept(2, {"x": 1, "ts": 99})).begin == 5000

    def test_a_declared_stream_without_time_takes_that_of_the_clock(self) -> None:
        intake = Intake({"s": Schema({"ts": Kind.TIMESTAMP})}, default_stream="s")
        assert event(intake.accept(0, {"ts": 5})).begin == 0

    def test_after_an_explicit_clock_such_an_event_comes_right_behind_it(self) -> None:
        intake = plain()
        intake.accept(0, {"$clock": 5})
        assert event(intake.accept(1, {"x": 1})).begin == 5001
        assert event(intake.accept(2, {"x": 1})).begin == 5001

    def test_after_the_last_moment_nothing_comes(self) -> None:
        intake = plain()
        intake.accept(0, {"$clock": Timestamp(INTEGER_MAX)})
        assert letter(intake.accept(1, {"x": 1})).kind == "late"

    @pytest.mark.parametrize("value", ["noon", True, 2**63, {"a": 1}])
    def test_an_unreadable_time_is_a_dead_letter(self, value: object) -> None:
        assert "attribute 'ts'" in letter(plain().accept(0, {"ts": value})).reason


class TestClock:
    def test_an_event_before_the_last_one_is_late(self) -> None:
        intake = plain()
        intake.accept(0, {"ts": 2})
        assert event(intake.accept(1, {"ts": 2})).row == 1
        found = letter(intake.accept(2, {"ts": 1}))
        assert found.kind == "late"
        assert found.reason == "late: the event ends at 1, before the clock at 2"
        assert found.raw == '{"ts": 1}'

    def test_an_event_at_an_explicit_clock_is_late(self) -> None:
        intake = plain()
        assert intake.accept(0, {"$clock": 2}) == Clock(0, Timestamp(2000))
        assert letter(intake.accept(1, {"ts": 2})).reason == (
            "late: the event ends at 2, not after $clock 2"
        )
        assert event(intake.accept(2, {"ts": 3})).begin == 3000

    def test_the_end_decides_what_is_late(self) -> None:
        intake = plain()
        intake.accept(0, {"ts": 5})
        assert event(intake.accept(1, {"ts": 1, "$end": 6})).end == 6000
        assert intake.clock == 6000

    def test_one_clock_serves_all_streams(self) -> None:
        intake = plain()
        intake.accept(0, {"ts": 5, "$stream": "a"})
        assert letter(intake.accept(1, {"ts": 4, "$stream": "b"})).kind == "late"

    def test_a_clock_does_not_go_backwards(self) -> None:
        intake = plain()
        intake.accept(0, {"ts": 5})
        found = letter(intake.accept(1, {"$clock": 4}))
        assert found.kind == "bad_clock"
        assert found.reason == "$clock goes backwards: 4 is before the clock at 5"
        assert intake.accept(2, {"$clock": 5}) == Clock(2, Timestamp(5000))
        assert intake.accept(3, {"$clock": 5}) == Clock(3, Timestamp(5000))

    def test_a_late_row_does_not_move_the_clock(self) -> None:
        intake = plain()
        assert intake.clock is None
        intake.accept(0, {"ts": 5})
        intake.accept(1, {"ts": 1})
        assert intake.clock == 5000

    def test_an_unreadable_clock_is_a_dead_letter(self) -> None:
        assert letter(plain().accept(0, {"$clock": "noon"})).kind == "bad_clock"

    def test_an_end_before_the_begin_is_a_dead_letter(self) -> None:
        found = letter(plain().accept(0, {"ts": 5, "$end": 4}))
        assert found.kind == "bad_time"
        assert "$end" in found.reason

    def test_an_unreadable_end_is_a_dead_letter(self) -> None:
        assert letter(plain().accept(0, {"ts": 5, "$end": "noon"})).kind == "bad_time"


class TestTimeForm:
    def test_before_any_time_it_is_iso(self) -> None:
        assert plain().time_form is TimeForm.ISO

    @pytest.mark.parametrize(
        "row",
        [{"ts": 1}, {"ts": 1.0}, {"x": 1, "$end": 1}, {"$clock": 1}, {"ts": pd.Series([1])[0]}],
    )
    def test_integers_make_it_milliseconds(self, row: dict[str, object]) -> None:
        intake = plain()
        intake.accept(0, row)
        assert intake.time_form is TimeForm.MILLISECONDS

    def test_the_first_time_decides(self) -> None:
        intake = plain()
        intake.accept(0, {"ts": "1970-01-01T00:00:00Z"})
        intake.accept(1, {"ts": 1})
        assert intake.time_form is TimeForm.ISO

    def test_a_declared_timestamp_that_is_not_the_time_counts_too(self) -> None:
        intake = Intake({"s": Schema({"seen": Kind.TIMESTAMP})}, default_stream="s")
        intake.accept(0, {"x": 1})
        assert intake.time_form is TimeForm.ISO
        intake.accept(1, {"seen": 5})
        assert intake.time_form is TimeForm.MILLISECONDS

    def test_a_dead_letter_decides_nothing(self) -> None:
        intake = plain()
        intake.accept(0, {"ts": 1, "x": b""})
        assert intake.time_form is TimeForm.ISO


class TestControlRows:
    def test_they_subscribe_and_unsubscribe(self) -> None:
        intake = plain()
        text = "SUBSCRIBE a MATCH [TRUE]"
        assert intake.accept(0, {"$subscribe": text}) == Subscribe(0, text)
        assert intake.accept(1, {"$unsubscribe": "a"}) == Unsubscribe(1, "a")

    def test_missing_cells_around_them_do_not_matter(self) -> None:
        row = {"$clock": 5, "$stream": None, "ip": float("nan"), "ts": None}
        assert plain().accept(0, row) == Clock(0, Timestamp(5000))

    def test_a_control_that_is_null_is_not_there(self) -> None:
        row = {"ts": 1, "$clock": None, "$end": None, "$subscribe": float("nan")}
        assert event(plain().accept(0, row)).begin == 1000

    @pytest.mark.parametrize(
        ("row", "kind", "reason"),
        [
            ({"$clock": 1, "x": 2}, "bad_control", "$clock stands alone in its row, but 'x'"),
            ({"$clock": 1, "x": [2]}, "bad_control", "$clock stands alone in its row, but 'x'"),
            ({"$clock": [1]}, "bad_type", "attribute '$clock': [1] is a list"),
            ({"$clock": {"fuzzy": 1}}, "fuzzy", "attribute '$clock': {\"fuzzy\": 1} is a fuzzy"),
            ({"$clock": 1777629600.5}, "bad_clock", "multiply seconds by 1000"),
            ({"$clock": 1, "$subscribe": "a"}, "bad_control", "$clock stands alone"),
            ({"$subscribe": 5}, "bad_control", "$subscribe takes a text, not 5"),
            ({"$subscribe": " "}, "bad_control", "$subscribe takes a text, not ' '"),
            ({"$unsubscribe": True}, "bad_control", "$unsubscribe takes a text, not true"),
            ({"$stream": 5, "ts": 1}, "bad_control", "$stream takes a text, not 5"),
            ({"$stream": "", "ts": 1}, "bad_control", "$stream takes a text, not ''"),
            ({"$strem": "a"}, "unknown_control", "unknown control '$strem'; did you mean $stream?"),
            ({"$": 1}, "unknown_control", "unknown control '$'; the known ones are $stream, $end"),
            ({5: 1}, "bad_key", "the name 5 is not a string"),
            ({"\ud800": 1}, "bad_encoding", "is not Unicode text"),
            ([1], "not_an_object", "a row is names with values, not [1]"),
            (None, "not_an_object", "a row is names with values, not null"),
        ],
    )
    def test_a_row_they_do_not_understand_is_a_dead_letter(
        self, row: object, kind: str, reason: str
    ) -> None:
        found = letter(plain().accept(3, row))
        assert (found.row, found.kind) == (3, kind)
        assert reason in found.reason


def test_a_stream_of_ever_new_names_is_read_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tocsin.model.rows._MOST_NAMES", 2)
    intake = plain()
    for number in range(6):
        found = event(intake.accept(number, {"ts": 1, f"x{number}": 1, "$end": 2}))
        assert found.values == {"ts": Timestamp(1000), f"x{number}": 1}


class TestSchemas:
    def test_a_wrong_type_makes_the_whole_row_a_dead_letter(self) -> None:
        intake = Intake({"logins": LOGINS}, default_stream="logins")
        found = letter(intake.accept(4, {"ts": 1, "ip": "a", "tries": "many"}))
        assert found == DeadLetter(
            4,
            "attribute 'tries': 'many' is STRING, but INTEGER is declared",
            '{"ts": 1, "ip": "a", "tries": "many"}',
            "bad_type",
        )
        assert intake.clock is None

    def test_a_stream_can_be_declared_later(self) -> None:
        intake = plain()
        intake.accept(0, {"ts": 1, "tries": "many"})
        intake.add_schemas({"s": LOGINS})
        assert letter(intake.accept(1, {"ts": 2, "tries": "many"})).kind == "bad_type"

    def test_a_declared_stream_can_grow(self) -> None:
        intake = Intake({"s": LOGINS}, default_stream="s")
        intake.add_schemas({"s": LOGINS})
        intake.add_schemas({"s": Schema({"user": Kind.STRING}, "ts")})
        assert letter(intake.accept(0, {"ts": 1, "user": 5})).kind == "bad_type"
        assert letter(intake.accept(1, {"ts": 1, "tries": "many"})).kind == "bad_type"

    @pytest.mark.parametrize(
        ("schema", "what"),
        [
            (Schema({"tries": Kind.STRING}, "ts"), "another type of tries"),
            (Schema({"seen": Kind.TIMESTAMP}, "seen"), "another TIME"),
        ],
    )
    def test_a_declaration_that_disagrees_is_refused_whole(self, schema: Schema, what: str) -> None:
        intake = Intake({"s": LOGINS}, default_stream="s")
        with pytest.raises(ConfigurationError, match=what):
            intake.add_schemas({"new": Schema({"x": Kind.STRING}), "s": schema})
        assert event(intake.accept(0, {"x": 5, "$stream": "new"})).values == {"x": 5}


def test_a_dead_letter_of_the_reader_passes_through() -> None:
    found = DeadLetter(3, "not JSON", "{", "bad_json")
    assert plain().accept(3, found) is found


@given(st.lists(ROWS, max_size=8), st.booleans())
def test_any_rows_become_steps_or_dead_letters_and_the_clock_never_goes_back(
    rows: list[object], declared: bool
) -> None:
    intake = Intake({"s": LOGINS} if declared else {}, default_stream="s")
    clock = None
    for number, row in enumerate(rows):
        step = intake.accept(number, row)
        assert step.row == number
        if isinstance(step, Event):
            assert step.begin <= step.end
            assert None not in step.values.values()
            assert not any(name.startswith("$") for name in step.values)
        if isinstance(step, DeadLetter):
            assert intake.clock == clock
        assert clock is None or (intake.clock is not None and intake.clock >= clock)
        clock = intake.clock


PLAIN = st.fixed_dictionaries(
    {"ts": st.integers(3, 9)},
    optional={"ip": st.just("b"), "tries": st.just(2), "other": st.sampled_from([1, 1.5, "x"])},
)
ODD = st.sampled_from(
    [
        *({"ts": ts} for ts in (Timestamp(5), 5.0, None, 2**60, True, "1970-01-01")),
        *({"ip": ip} for ip in ("ä", "\ud800", None, 5)),
        *({"tries": tries} for tries in (2.0, 2**63, -(2**63), True, None, float("nan"))),
        *({"seen": seen} for seen in (1, Timestamp(1), "noon", 2**60)),
        *({"other": other} for other in (float("nan"), Duration(1), [1], None, 2**63, False)),
        *({"$stream": stream} for stream in ("s", "b", None, " ", 5, ["s"])),
        *({"$end": end} for end in (None, 6)),
        {},
    ]
)
PLAIN_ROWS = st.builds(lambda plain, odd: {**plain, **odd}, PLAIN, ODD)


@given(st.lists(PLAIN_ROWS, max_size=5), st.booleans(), st.sampled_from([None, 4]))
def test_rows_that_go_the_short_way_become_what_the_long_way_makes_of_them(
    rows: list[dict[str, object]], declared: bool, clock: int | None
) -> None:
    schemas = {"s": LOGINS} if declared else {}
    short, long = Intake(schemas, default_stream="s"), Intake(schemas, default_stream="s")
    start = {"ts": 0, "ip": "a", "tries": 1, "other": 1, "seen": Timestamp(1)}
    for number, row in enumerate([start, {"$clock": clock}, *rows]):
        # Only a dict goes the short way, and only where rows like it were seen before.
        found, expected = short.accept(number, row), long.copy().accept(number, row)
        assert found == expected
        assert repr(found) == repr(expected)
        long.accept(number, MappingProxyType(row))
        assert short.state() == long.state()


class TestState:
    def test_a_copy_goes_on_from_here_on_its_own(self) -> None:
        intake = Intake({"s": LOGINS}, default_stream="s")
        intake.accept(0, {"time": 5, "$stream": "b"})
        other = intake.copy()
        assert other.state() == intake.state()
        assert event(other.accept(1, {"time": 7, "$stream": "b"})).end == 7000
        assert intake.clock == 5000
        assert letter(other.accept(2, {"ts": 8, "tries": "many"})).kind == "bad_type"

    def test_it_can_go_back(self) -> None:
        intake = plain()
        before = intake.state()
        intake.accept(0, {"ts": 5})
        intake.restore(before)
        assert (intake.clock, intake.schema("s"), intake.time_form) == (None, None, TimeForm.ISO)
        assert event(intake.accept(0, {"time": 1})).begin == 1000

    def test_it_knows_what_is_declared_and_what_is_settled(self) -> None:
        intake = Intake({"s": LOGINS}, default_stream="s")
        intake.accept(0, {"ts": 1, "$stream": "b"})
        assert (intake.schema("s"), intake.schema("c")) == (LOGINS, None)
        assert intake.schema("b") == Schema({"ts": Kind.TIMESTAMP}, "ts")
        assert intake.declares("tries")
        assert not intake.declares("other")
