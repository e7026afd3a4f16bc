"""Errors that only the engine raises."""

from __future__ import annotations

from tocsin.errors import TocsinError


class BusyError(TocsinError, RuntimeError):
    """The engine was entered while it was at work: by another thread, or by a callback."""


class SnapshotError(TocsinError, ValueError):
    """Bytes are no snapshot that this engine can go on from."""
