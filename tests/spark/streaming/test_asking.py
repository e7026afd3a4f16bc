"""Questions over a local connection: who says nothing, or leaves, keeps nobody else waiting."""

from __future__ import annotations

import socket
import threading

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from tocsin.errors import ConfigurationError
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
