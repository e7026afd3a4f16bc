"""Questions from Spark's planner to the process that made the query.

Spark asks a source for its news in a Python process of its own, beside the driver, which has no
session. What only a session can read is asked for over a local connection, with a key.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from typing import Final, TypeAlias

from tocsin.errors import ConfigurationError

Answer: TypeAlias = Mapping[str, str]
Ask: TypeAlias = Callable[[], Answer]

_HOST: Final = "127.0.0.1"
_WAITING: Final = 16
"""So many may knock at once."""
_PAUSES_S: Final = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""How long it rests when nobody can be let in, each time in a row; after the last one it ends."""
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Address:
    """Where an answer is to be had: a port of this machine, and the key to it."""

    port: int
    key: str


def answer(ask: Ask) -> Address:
    """Let others ask; this process answers for as long as it lives, one at a time.

    Examples
    --------
    >>> ask_at(answer(lambda: {"a": "SUBSCRIBE a MATCH [v = 1]"}))
    {'a': 'SUBSCRIBE a MATCH [v = 1]'}
    """
    key = os.urandom(16)
    listener = Listener((_HOST, 0), backlog=_WAITING)
    threading.Thread(target=_serve, args=(listener, key, _in_turn(ask)), daemon=True).start()
    return Address(int(listener.address[1]), key.hex())


def ask_at(address: Address) -> dict[str, str]:
    """Return the answer of another process.

    Raises
    ------
    ConfigurationError
        It has none, and says why; or it is gone.
    """
    try:
        with Client((_HOST, address.port), authkey=bytes.fromhex(address.key)) as connection:
            is_fine, said = connection.recv()
    except (OSError, EOFError) as error:
        msg = (
            f"the process that reads the table of subscriptions is gone, or answers no longer: "
            f"{error}; its log says more, and the query goes on from its checkpoint"
        )
        raise ConfigurationError(msg) from error
    if not is_fine:
        raise ConfigurationError(said)
    found: dict[str, str] = said
    return found


def _in_turn(ask: Ask) -> Ask:
    """Return what asks only one question at a time."""
    turn = threading.Lock()

    def asked() -> Answer:
        with turn:
            return ask()

    return asked


def _serve(listener: Listener, key: bytes, ask: Ask, pauses_s: Sequence[float] = _PAUSES_S) -> None:
    """Give each one who connects a thread: one who says nothing keeps nobody else waiting.

    Where that fails it rests a little, as for files that others will close. Where it keeps failing
    the port is closed: who asks is told so, instead of waiting for ever.
    """
    failed = 0
    with listener:
        while True:
            try:
                _let_in(listener, key, ask)
            except (OSError, RuntimeError) as error:  # no file, or no thread, is left for it
                if failed == len(pauses_s):
                    msg = "nobody can ask for the table of subscriptions any longer, since %s"
                    _LOG.error(msg, error)
                    return
                time.sleep(pauses_s[failed])
                failed += 1
            else:
                failed = 0


def _let_in(listener: Listener, key: bytes, ask: Ask) -> None:
    connection = listener.accept()
    try:
        threading.Thread(target=_meet, args=(connection, key, ask), daemon=True).start()
    except RuntimeError:
        connection.close()
        raise


def _meet(connection: Connection, key: bytes, ask: Ask) -> None:
    """See that somebody has the key, as `Client` asks it to be seen, and answer."""
    with connection:
        try:
            deliver_challenge(connection, key)
            answer_challenge(connection, key)
            _tell(connection, ask)
        except (OSError, EOFError, AuthenticationError):
            return  # somebody without the key, or who has left


def _tell(connection: Connection, ask: Ask) -> None:
    try:
        said: tuple[bool, object] = (True, dict(ask()))
    except Exception as error:  # whatever it is, the query must end with it
        said = (False, str(error))
    connection.send(said)
