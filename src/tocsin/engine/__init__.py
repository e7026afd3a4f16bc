"""The engine that runs subscriptions event by event."""

from tocsin.engine.engine import Engine
from tocsin.engine.errors import BusyError, SnapshotError
from tocsin.engine.limits import Limits
from tocsin.engine.options import Options
from tocsin.engine.places import Places

__all__ = ["BusyError", "Engine", "Limits", "Options", "Places", "SnapshotError"]
