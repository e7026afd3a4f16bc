"""The workloads that Flink runs too: data, patterns, counts, and the way to the peer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tocsin
from tocsin.bench.answers import UnequalAnswersError
from tocsin.bench.flink import figures, peer
from tocsin.bench.flink.data import make_login, make_pool, make_stock, read_data, write_data
from tocsin.bench.flink.figures import Settings, login_cases, pool_cases, stock_cases
from tocsin.bench.flink.oracle import count_intrusions, count_pool, count_rises
from tocsin.bench.flink.patterns import (
    LOGIN_HEAD,
    POOL_HEAD,
    RISE,
    STOCK_HEAD,
    Intrusion,
    intrusion_text,
    pool_parts,
)
from tocsin.bench.flink.peer import Flink, PeerRun
from tocsin.bench.flink.recorded import recorded_rates
from tocsin.bench.flink.report import report
from tocsin.bench.flink.subscriptions import make_subscriptions
from tocsin.bench.steps import Silent
from tocsin.errors import ConfigurationError


def test_the_oracle_counts_the_whole_data_as_was_recorded_elsewhere() -> None:
    """The figures are those that Flink itself and another oracle found on a million events."""
    logins = make_login(1_000_000)
    assert count_intrusions(logins, Intrusion.NEXT_W5) == 98_003
    assert count_intrusions(logins, Intrusion.NEXT_LIT) == 142_862
    assert count_intrusions(logins, Intrusion.ANY_W5) == 4_231_216
    assert count_rises(make_stock(1_000_000)) == 30_370
    types = make_pool(200_000).column("type").to_numpy()
    rows = make_subscriptions(types)
    assert [count_pool(types, rows.slice(0, n)) for n in (1, 10, 100)] == [66, 267, 2_541]


@pytest.mark.parametrize("variant", list(Intrusion))
def test_the_intrusion_is_what_the_oracle_counts(variant: Intrusion) -> None:
    logins = make_login(220)
    found = tocsin.match(logins.to_pylist(), LOGIN_HEAD + intrusion_text(variant))
    assert len(found) == count_intrusions(logins, variant) > 0


def test_the_rise_is_what_the_oracle_counts() -> None:
    few = make_stock(40_000).filter(pa.compute.field("symbol").isin(["S003", "S150"])).slice(0, 180)
    found = tocsin.match(few.to_pylist(), STOCK_HEAD + RISE)
    assert len(found) == count_rises(few) > 0


def test_the_pool_is_what_the_oracle_counts() -> None:
    events = make_pool(600)
    types = events.column("type").to_numpy()
    rows = make_subscriptions(types, 12)
    found = sum(
        len(tocsin.match(events.to_pylist(), POOL_HEAD + part.template, table=part.table))
        for part in pool_parts(rows)
    )
    assert found == count_pool(types, rows) > 0


def test_written_data_is_read_again(tmp_path: Path) -> None:
    made = make_stock(50)
    path = write_data(made, tmp_path, "stock")
    assert path.read_text().startswith("seq,ts,symbol,price,volume\n0,")
    found = read_data(tmp_path, "stock", 20)
    assert found.to_pylist() == made.slice(0, 20).to_pylist()


def test_files_that_are_not_there_or_have_other_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"login\.csv cannot be read"):
        read_data(tmp_path, "login")
    (tmp_path / "login.csv").write_text("seq,when\n1,2\n")
    with pytest.raises(ConfigurationError, match="seq, ts, ip, status are needed"):
        read_data(tmp_path, "login")


@pytest.mark.parametrize(
    ("name", "variants"),
    [
        ("login", ["p1.fb.noskip.w5", "p1.fb.noskip.lit", "p1.fba.noskip.w5"]),
        ("stock", ["p2.java"]),
        ("pool", ["p3.n1.chain", "p3.n10.chain", "p3.n100.chain", "p3.n1000.chain"]),
    ],
)
def test_a_report_has_a_row_for_every_variant(name: str, variants: list[str], told: Any) -> None:
    found = report(name, Settings(events=150, runs=2), told)
    rows = found.sections[0].to_dict()["rows"]
    assert [row["variant"] for row in rows] == variants
    assert all(row["ratio"] is None for row in rows)
    assert told.expected == len(told.begun) == len(variants)


def test_notifications_can_be_read_instead_of_counted() -> None:
    counted, read = (
        report("login", Settings(events=200, runs=1, is_read=one), Silent())
        for one in (False, True)
    )
    assert counted.parameters["notifications"] == "counted"
    assert read.parameters["notifications"] == "read"
    matches = [[row["matches"] for row in r.sections[0].to_dict()["rows"]] for r in (counted, read)]
    assert matches[0] == matches[1]
    assert sum(matches[0]) > 0


def test_a_wrong_count_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "count_rises", lambda _: -1)
    with pytest.raises(UnequalAnswersError, match="the oracle has -1"):
        report("stock", Settings(events=60, runs=1), Silent())


class FakePeer(Flink):
    """Answers at once; remembers where its data was."""

    matches = 0
    stopped = False

    def compile(self, target: Path) -> None:
        assert target.is_dir()

    def run(self, variant: str, data: Path, classes: Path, *, timeout_s: int) -> PeerRun:
        assert classes == data
        assert {"pool.csv", "subs.csv"} <= {path.name for path in data.iterdir()}
        assert timeout_s == 240
        return PeerRun(variant, self.matches, 100.0, 1.0, 1.0, self.stopped)


def test_the_peer_gets_the_data_and_its_rate_makes_a_ratio(tmp_path: Path) -> None:
    settings = Settings(events=120, runs=1, peer=FakePeer(tmp_path, tmp_path))
    cases = pool_cases(settings, (3,))
    FakePeer.matches, FakePeer.stopped = cases[0].expected(), False
    (row,) = report("pool", settings, Silent(), cases=cases).sections[0].to_dict()["rows"]
    assert row["ratio"] == pytest.approx(row["events/s"] / 100)
    FakePeer.matches = -1
    with pytest.raises(UnequalAnswersError, match="the peer has -1"):
        report("pool", settings, Silent(), cases=cases)


def test_a_peer_that_was_stopped_is_said_to_be(tmp_path: Path) -> None:
    settings = Settings(events=120, runs=1, peer=FakePeer(tmp_path, tmp_path))
    FakePeer.matches, FakePeer.stopped = -1, True
    found = report("pool", settings, Silent(), cases=pool_cases(settings, (3,)))
    assert "stopped in p3.n3.chain" in found.notes[0]
    assert [curve.name for curve in found.plots[0].curves] == ["tocsin", "Flink, one core"]


def test_everything_the_peer_lacks_is_named(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("FLINK_VENV", raising=False)
    monkeypatch.setattr(peer.shutil, "which", lambda _: None)
    monkeypatch.setattr(peer.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ConfigurationError) as caught:
        peer.find_flink(None)
    assert all(word in str(caught.value) for word in ("java", "javac", "--peer-dir", "FLINK_VENV"))
    with pytest.raises(ConfigurationError, match=r"FlinkCepBench\.java"):
        peer.find_flink(tmp_path)


def test_the_peer_is_found_where_it_is_installed(tmp_path: Path, monkeypatch: Any) -> None:
    jars = tmp_path / "lib" / "python3.11" / "site-packages" / "pyflink" / "lib"
    jars.mkdir(parents=True)
    (jars / "flink-cep-2.3.0.jar").touch()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "FlinkCepBench.java").touch()
    monkeypatch.setenv("FLINK_VENV", str(tmp_path))
    monkeypatch.setattr(peer.shutil, "which", lambda name: name)
    assert peer.find_flink(tmp_path) == Flink(tmp_path, jars)


def job(**changed: Any) -> str:
    usual = {
        "variant": "p2.java", "job": "full", "n": 1000, "status": "ok", "run_s": 2.0,
        "cpu_s": 4.0, "wall_s": 3.0, "matches": 7, "done_mean": 500,
    }  # fmt: skip
    return json.dumps(usual | changed)


@pytest.mark.parametrize(
    ("lines", "rate", "stopped"),
    [
        ([job(), job(run_s=1.0)], 1000.0, False),
        ([job(cpu_s=0.5)], 2000.0, False),
        ([job(status="dnf")], 250.0, True),
    ],
)
def test_the_best_run_of_the_peer_counts(
    lines: list[str], rate: float, stopped: bool, tmp_path: Path, monkeypatch: Any
) -> None:
    done = peer.subprocess.CompletedProcess([], 0, "\n".join(["{}", *lines]), "")
    monkeypatch.setattr(peer.subprocess, "run", lambda *_, **__: done)
    found = Flink(tmp_path, tmp_path).run("p2.java", tmp_path, tmp_path, timeout_s=5)
    assert (found.rate, found.stopped, found.matches) == (rate, stopped, 7)


def test_a_peer_that_fails_is_shown_with_its_words(tmp_path: Path, monkeypatch: Any) -> None:
    done = peer.subprocess.CompletedProcess([], 1, "", "no room in the heap")
    monkeypatch.setattr(peer.subprocess, "run", lambda *_, **__: done)
    flink = Flink(tmp_path, tmp_path)
    with pytest.raises(ConfigurationError, match=r"failed at p2\.java: no room in the heap"):
        flink.run("p2.java", tmp_path, tmp_path, timeout_s=5)
    with pytest.raises(ConfigurationError, match="do not compile: no room"):
        flink.compile(tmp_path)


def test_recorded_rates_prefer_one_core(tmp_path: Path) -> None:
    assert recorded_rates(None) == recorded_rates(tmp_path) == {}
    (tmp_path / "RESULTS.md").write_text(
        "| p2.java | 1 | shared | 90,000 | ok | 1 | 1 | 1 |\n"
        "| p2.java | 1 | pinned | 70,000 | ok | 1 | 1 | 1 |\n"
        "| p2.java | 2 | shared | 99,000 | ok | 1 | 1 | 1 |\n"
    )
    assert recorded_rates(tmp_path) == {"p2.java": 70_000.0}
    found = report("stock", Settings(events=60, runs=1), Silent(), peer_directory=tmp_path)
    (row,) = found.sections[0].to_dict()["rows"]
    assert row["peer, recorded elsewhere"] == 70_000.0
    assert "another machine" in found.notes[-1]


def test_files_of_the_generator_are_taken(tmp_path: Path) -> None:
    write_data(make_login(80), tmp_path, "login")
    settings = Settings(events=50, data=tmp_path)
    assert login_cases(settings)[0].events.num_rows == 50
    write_data(make_stock(80), tmp_path, "stock")
    assert stock_cases(Settings(data=tmp_path))[0].events.num_rows == 80
