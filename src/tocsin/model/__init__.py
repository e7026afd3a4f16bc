"""Events, schemas, values, times, durations, dead letters and notifications.

The readers of files and tables live in `tocsin.model.read`.
"""

from tocsin.model.dead_letter import DeadLetter
from tocsin.model.durations import format_duration, parse_duration
from tocsin.model.event import DEFAULT_STREAM, Event, Schema
from tocsin.model.notification import Notification, Notifications
from tocsin.model.rows import Clock, Intake, Step, Subscribe, Unsubscribe
from tocsin.model.times import TimeForm, format_time, parse_time
from tocsin.model.values import Duration, Kind, Timestamp, Value

__all__ = [
    "DEFAULT_STREAM",
    "Clock",
    "DeadLetter",
    "Duration",
    "Event",
    "Intake",
    "Kind",
    "Notification",
    "Notifications",
    "Schema",
    "Step",
    "Subscribe",
    "TimeForm",
    "Timestamp",
    "Unsubscribe",
    "Value",
    "format_duration",
    "format_time",
    "parse_duration",
    "parse_time",
]
