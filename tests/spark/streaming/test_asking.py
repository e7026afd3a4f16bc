"""Questions over a local connection: who says nothing, or leaves, keeps nobody else waiting."""

from __future__ import annotations

import logging
import socket
import threading
from multiprocessing.connection import Listener

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from tocsin.errors import ConfigurationError
from tocsin.spark.streaming import asking
from tocsin.spark.streaming.asking import Address, answer, ask_at

HOST = "127.0.0.1"


@pytest.mark.timeout(60)
def test_who_connects_and_says_nothing_keeps_nobody_else_waiting() -> None:
    address = answer(lambda: {"a": "A"})
    silent = [socket.create_connection((HOST, address.port)) for _ in range(3)]
    assert ask_at(address) == {"a": "A"}
    for one in silent:
        one.close()
    assert ask_at(address) == {"a": "A"}


def test_who_says_something_else_gets_no_answer_and_others_do() -> None:
    address = answer(lambda: {"a": "A"})
    with socket.create_connection((HOST, address.port)) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert ask_at(address) == {"a": "A"}


def test_who_has_another_key_gets_no_answer() -> None:
    address = answer(lambda: {"a": "A"})
    with pytest.raises(Exception, match="digest"):
        ask_at(Address(address.port, "00" * 16))
    assert ask_at(address) == {"a": "A"}


def test_questions_are_asked_one_at_a_time() -> None:
    inside, most = [0], [0]

    def ask() -> dict[str, str]:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        gate.wait(0.01)
        inside[0] -= 1
        return {}

    gate = threading.Event()
    address = answer(ask)
    threads = [threading.Thread(target=ask_at, args=(address,)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert most == [1]


def test_why_there_is_no_answer_is_told() -> None:
    def ask() -> dict[str, str]:
        msg = "the table is gone"
        raise ValueError(msg)

    with pytest.raises(ConfigurationError, match="the table is gone"):
        ask_at(answer(ask))


class Port:
    """A listener that fails at first, so many times in a row."""

    def __init__(self, fails: int) -> None:
        self.listener, self.fails, self.asked = Listener((HOST, 0)), fails, 0
        self.number = int(self.listener.address[1])

    def __enter__(self) -> Port:
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.close()

    def accept(self) -> object:
        self.asked += 1
        if self.asked <= self.fails:
            raise OSError(24, "Too many open files")
        return self.listener.accept()


@pytest.mark.timeout(60)
def test_where_nobody_can_be_let_in_it_ends_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    port = Port(fails=10**9)
    with caplog.at_level(logging.ERROR):
        asking._serve(port, b"key", dict, pauses_s=(0.0, 0.0, 0.0))  # type: ignore[arg-type]
    assert port.asked == 4
    assert "nobody can ask for the table" in caplog.text
    assert "Too many open files" in caplog.text
    with pytest.raises(ConfigurationError, match="is gone, or answers no longer"):
        ask_at(Address(port.number, "00"))


@pytest.mark.timeout(60)
def test_a_failure_that_passes_ends_nothing() -> None:
    port, key = Port(fails=3), b"0123456789abcdef"
    given = (port, key, lambda: {"a": "A"}, (0.0, 0.0, 0.0))
    threading.Thread(target=asking._serve, args=given, daemon=True).start()
    address = Address(port.number, key.hex())
    assert [ask_at(address) for _ in range(3)] == [{"a": "A"}] * 3


@pytest.mark.timeout(60)
def test_where_no_thread_can_be_started_nobody_is_kept_waiting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class NoThread:
        def __init__(self, **_: object) -> None:
            pass

        def start(self) -> None:
            msg = "can't start new thread"
            raise RuntimeError(msg)

    listener = Listener((HOST, 0))
    waiting = [socket.create_connection((HOST, int(listener.address[1]))) for _ in range(2)]
    monkeypatch.setattr(asking.threading, "Thread", NoThread)
    asking._serve(listener, b"key", dict, pauses_s=(0.0,))
    assert [one.recv(1) for one in waiting] == [b"", b""]
    assert "can't start new thread" in caplog.text
