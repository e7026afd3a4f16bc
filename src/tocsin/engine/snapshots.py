"""Snapshots: versioned bytes from which an engine goes on as if it had never stopped.

The compiled parts of a pattern are named by subscription and number instead of being stored, so a
snapshot holds only state. Only the classes that states are made of are let in when it is read.
"""

from __future__ import annotations

import enum
import hashlib
import io
import json
import pickle
from typing import Any, Final

from tocsin.engine.course import Course
from tocsin.engine.errors import SnapshotError
from tocsin.engine.feed import Feed
from tocsin.engine.lane_snapshots import freeze_lanes, thaw_lanes
from tocsin.engine.limits import Limiter
from tocsin.engine.machines.follow import Link
from tocsin.engine.machines.machine import Part
from tocsin.engine.table_snapshots import freeze_tables, list_tables, thaw_tables
from tocsin.engine.watch import Watch
from tocsin.language.live import LiveProgram
from tocsin.language.normal import NormalSubscription
from tocsin.language.parser import parse
from tocsin.language.printer import to_text
from tocsin.language.tree import Program
from tocsin.model.event import Schema
from tocsin.model.values import Kind

VERSION: Final = 5
_MAGIC: Final = b"tocsin snapshot\n"
_DIGEST_LENGTH: Final = 32


def fingerprint_of(program: Program, *options: object, history: bool) -> str:
    """Return what tells one program and its options from another."""
    text = json.dumps([to_text(program), *map(str, options), history])
    return hashlib.sha256(text.encode()).hexdigest()


def freeze(feed: Feed, fingerprint: str, notified: int) -> bytes:
    """Return an engine as bytes."""
    course = feed.course
    course.catch_up_all()
    if course.history is not None:
        course.history.expand()
    header = {
        "version": VERSION,
        "fingerprint": fingerprint,
        "program": to_text(feed.program.program),
        "default_stream": feed.program.default_stream,
        "derived": {name: _kinds(schema) for name, schema in feed.program.derived.items()},
        "watches": [[one.name, one.order, one.made] for one in course.watches.values()],
        "tables": list_tables(course),
        "members": [[m.name, m.order, m.made, m.number] for _, m in course.members.values()],
    }
    state = {
        "intake": feed.intake.copy(),
        "letters": feed.dead_letters,
        "totals": (feed.rows, feed.buried, notified),
        "timers": course.timers,
        "history": course.history,
        "course": (course.step, course.made, course.clock),
        "tables": freeze_tables(course),
        "lanes": freeze_lanes(course),
        "watches": {order: watch.state for order, watch in course.watches.items()},
    }
    head = json.dumps(header).encode()
    body = len(head).to_bytes(8, "big") + head + _pickled(state, course.watches)
    return _MAGIC + hashlib.sha256(body).digest() + body


def thaw(snapshot: bytes, feed: Feed, fingerprint: str) -> tuple[Feed, int]:
    """Return what goes on from a snapshot; `feed` is that of an engine of the same program."""
    header, body = _opened(snapshot)
    if header["fingerprint"] != fingerprint:
        msg = (
            "the snapshot is of another program or of other options; restore it into an engine "
            "that was made with the same program, time, stream, simultaneous and history"
        )
        raise SnapshotError(msg)
    statements = parse(header["program"]) if header["program"].strip() else Program(())
    program = LiveProgram.restored(
        statements,
        default_stream=header["default_stream"],
        derived={name: _schema(kinds) for name, kinds in header["derived"].items()},
    )
    old = feed.course
    limiter = Limiter(old.limiter.limits)
    course = Course(
        unordered=old.unordered, history=old.history, limiter=limiter, options=old.options
    )
    watches = _watches(program, course, header["watches"])
    state = _unpickled(body, watches)
    course.history, course.timers = state["history"], state["timers"]
    course.step, course.made, course.clock = state["course"]
    for order, watch in watches.items():
        watch.state = state["watches"][order]
        course.restore(watch)
        limiter.note(watch)
    thaw_tables(course, program, old, header["tables"], state["tables"])
    thaw_lanes(course, _normal(program), header["members"], state["lanes"])
    restored = Feed(program, state["intake"], course)
    restored.rows, restored.buried, notified = state["totals"]
    restored.dead_letters = state["letters"]
    return restored, notified


def _kinds(schema: Schema) -> dict[str, str]:
    """The kinds of a derived stream by their names; it has no time attribute."""
    return {name: kind.value for name, kind in schema.kinds.items()}


def _schema(kinds: dict[str, str]) -> Schema:
    return Schema({name: Kind(kind) for name, kind in kinds.items()})


def _watches(program: LiveProgram, course: Course, listed: list[list[Any]]) -> dict[int, Watch]:
    """Compile the subscriptions that were live; their states come from the snapshot."""
    normal = _normal(program)
    return {
        order: Watch(
            normal[name],
            order=order,
            made=made,
            timers=course.timers,
            shared=course.shared,
            unordered=course.unordered,
        )
        for name, order, made in listed
    }


def _normal(program: LiveProgram) -> dict[str, NormalSubscription]:
    return {one.tree.name: one for one in program.normal(program.program.subscriptions)}


def _opened(snapshot: bytes) -> tuple[dict[str, Any], bytes]:
    if not snapshot.startswith(_MAGIC):
        msg = "these bytes are no snapshot; give what Engine.snapshot() returned"
        raise SnapshotError(msg)
    start = len(_MAGIC) + _DIGEST_LENGTH
    digest, body = snapshot[len(_MAGIC) : start], snapshot[start:]
    if hashlib.sha256(body).digest() != digest:
        msg = "the snapshot is damaged: its bytes do not fit its checksum; take an earlier one"
        raise SnapshotError(msg)
    length = int.from_bytes(body[:8], "big")
    header = json.loads(body[8 : 8 + length])
    if header["version"] != VERSION:
        msg = (
            f"the snapshot has version {header['version']}, and this engine reads {VERSION}; "
            "restore it with the tocsin that made it"
        )
        raise SnapshotError(msg)
    return header, body[8 + length :]


def _pickled(state: object, watches: dict[int, Watch]) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, watches).dump(state)
    return buffer.getvalue()


def _unpickled(body: bytes, watches: dict[int, Watch]) -> Any:
    return _Unpickler(io.BytesIO(body), watches).load()


class _Pickler(pickle.Pickler):
    """Names compiled parts by subscription and number."""

    def __init__(self, file: io.BytesIO, watches: dict[int, Watch]) -> None:
        super().__init__(file, protocol=5)
        self._name_of = {
            id(static): (order, number)
            for order, watch in watches.items()
            for number, static in enumerate(watch.statics)
        }

    def persistent_id(self, obj: object) -> tuple[int, int] | None:
        return self._name_of[id(obj)] if isinstance(obj, Part | Link) else None

    def reducer_override(self, value: object) -> Any:
        """Keep members of enumerations by value: Python 3.11.2 asks for `getattr` instead."""
        return (type(value), (value.value,)) if isinstance(value, enum.Enum) else NotImplemented


class _Unpickler(pickle.Unpickler):
    """Finds compiled parts by their names, and lets in nothing but state."""

    def __init__(self, file: io.BytesIO, watches: dict[int, Watch]) -> None:
        super().__init__(file)
        self._watches = watches

    def persistent_load(self, pid: tuple[int, int]) -> Part | Link:
        order, number = pid
        return self._watches[order].statics[number]

    def find_class(self, module: str, name: str) -> Any:
        is_ours = module.startswith(("tocsin.engine.", "tocsin.model."))
        if is_ours or (module, name) == ("collections", "deque"):
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        if (module, name) == ("copyreg", "__newobj__"):
            return super().find_class(module, name)
        msg = f"the snapshot holds {module}.{name}, which is no state of an engine"
        raise SnapshotError(msg)
