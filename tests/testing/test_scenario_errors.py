"""A scenario file that cannot be read says where and what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tocsin.testing import ScenarioError, read_scenario

CASE = '[[case]]\nname = "one"\nsubscriptions = "SUBSCRIBE s MATCH [x = 1]"\n'
EVENTS = "events = [{ts = 0}]\n"

ERRORS = {
    "= 3": "PATH: is not TOML: Invalid statement (at line 1, column 1)\n"
    "The TOML language is described at https://toml.io.",
    "": 'PATH: holds no case\nBegin one with the line [[case]] and name = "…".',
    "cases = []": "PATH: key 'cases': this key means nothing here\nDid you mean 'case'?",
    "[[case]]": 'PATH: case 0: has no name\nWrite name = "…".',
    '[[case]]\nname = "one"\nevents = []\nexpect = []': "PATH: case 'one': has no subscriptions\n"
    "Write subscriptions or subscriptions_file.",
    '[[case]]\nname = "one"\nsubscriptions = "r.tocsin"\nevents = []\nexpect = []': "PATH: "
    "case 'one', key 'subscriptions': this looks like a path\n"
    'For a path write subscriptions_file = "r.tocsin".',
    '[[case]]\nname = "one"\nsubscriptions_file = "r.tocsin"\nevents = []\nexpect = []': "PATH: "
    "case 'one', key 'subscriptions_file': there is no file r.tocsin\n"
    "Paths are taken from the folder of the scenario file, 'FOLDER'.",
    CASE + 'subscriptions_file = "r.tocsin"\nevents = []\nexpect = []': "PATH: case 'one': "
    "two ways to say which subscriptions\n"
    "Keep subscriptions (a text) or subscriptions_file (a path).",
    CASE + "expect = []": "PATH: case 'one': has no events\n"
    'Write events = [{ts = 0, status = "denied"}, {"$clock" = 60000}] or events_file.',
    CASE + EVENTS: "PATH: case 'one': says nothing about the notifications to expect\n"
    "Write expect = [] for none, expect = [{subscription = …}], or count = 3.",
    CASE + EVENTS + "expct = []": "PATH: case 'one', key 'expct': this key means nothing here\n"
    "Did you mean 'expect'?",
    CASE + EVENTS + "expect = []\nincludes = []": "PATH: case 'one': has expect and includes\n"
    "expect lists all notifications, includes some of them; keep one.",
    CASE + EVENTS + "expect = [3]": "PATH: case 'one', key 'expect': item 0 is 3, not a table\n"
    'Write expect = [{subscription = "intrusion", events = {a = [0]}}].',
    CASE + EVENTS + "expect = [{evnts = {a = 0}}]": "PATH: case 'one', expect 0, key 'evnts': "
    "this key means nothing here\nDid you mean 'events'?",
    CASE + EVENTS + 'expect = [{at = "soon"}]': "PATH: case 'one', expect 0, key 'at': "
    "'soon' is neither a time nor a duration\n"
    "Write a time, or a duration since the start such as '5 min'.",
    CASE + EVENTS + 'expect = [{events = {a = "first"}}]': "PATH: case 'one', expect 0, key "
    "'events.a': 'first' is neither the number of a row nor the $label of one\n"
    "Rows are counted from 0.",
    CASE + 'events = [{"$label" = "first", ts = 0}]\nexpect = [{events = {a = "frist"}}]': "PATH: "
    "case 'one', expect 0, key 'events.a': 'frist' is neither the number of a row nor the $label "
    "of one\nDid you mean 'first'?",
    CASE + 'events = [{"$label" = "a"}, {"$label" = "a"}]\nexpect = []': "PATH: case 'one', "
    "events 1, key '$label': 'a' already names row 0\nChoose another name.",
    CASE + 'events = [{"$at" = "1 s", ts = 0}]\nexpect = []': "PATH: case 'one', events 0: "
    "has $at and ts, which both are its time\nKeep one of them.",
    CASE + 'events = [{"$at" = "one"}]\nexpect = []': "PATH: case 'one', events 0, key '$at': "
    "'one' is neither a time nor a duration\n"
    "Write a time, or a duration since the start such as '5 min'.",
    CASE + EVENTS + "events_file = 'x.jsonl'\nexpect = []": "PATH: case 'one': "
    "has events and events_file\nKeep one of them.",
    CASE + "events_file = 3\nexpect = []": "PATH: case 'one', key 'events_file': 3 is no path\n"
    'Write events_file = "events.jsonl".',
    CASE + EVENTS + "expect = []\nunordered = 1": "PATH: case 'one', key 'unordered': "
    "1 is not what belongs here\nWrite unordered = true.",
    CASE + EVENTS + "count = true": "PATH: case 'one', key 'count': "
    "True is not what belongs here\nWrite count = 3.",
    CASE + EVENTS + "expect = []\ndead_letters = -1": "PATH: case 'one', key 'dead_letters': "
    "-1 is no number of things\nWrite dead_letters = 0 for none.",
    CASE + EVENTS + 'expect = []\nstart = "noon"': "PATH: case 'one', key 'start': 'noon' is not a "
    "time; write an ISO string or an integer in milliseconds\nWrite start = 2026-01-31T12:00:00Z.",
    CASE + EVENTS + 'expect = []\noptions = {simultaneous = "unorderd"}': "PATH: case 'one', "
    "options, key 'simultaneous': 'unorderd' is not known\nDid you mean 'unordered'?",
    CASE + EVENTS + "expect = []\noptions = {tme = 'ts'}": "PATH: case 'one', options, key 'tme': "
    "this key means nothing here\nDid you mean 'time'?",
    CASE + EVENTS + "expect = []\ntable = []\ntable_file = 'x.csv'": "PATH: case 'one': "
    "has table and table_file\nKeep one of them.",
}


@pytest.mark.parametrize("text", ERRORS)
def test_the_message_says_where_and_what_to_write(text: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.scenario.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        read_scenario(path)
    shown = str(caught.value).replace(str(path), "PATH").replace(str(tmp_path), "FOLDER")
    assert shown == ERRORS[text]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read: No such file"):
        read_scenario(tmp_path / "none.scenario.toml")


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bytes.scenario.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScenarioError, match="is not UTF-8 text"):
        read_scenario(path)
