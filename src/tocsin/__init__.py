"""tocsin: subscriptions are small programs over streams of events.

Examples
--------
>>> import tocsin
>>> rows = [{"ts": 0, "status": "denied"}, {"ts": 60_000, "status": "success"}]
>>> text = "SUBSCRIBE odd MATCH a:[status = 'denied'] ; b:[status = 'success'] WITHIN 5 min"
>>> [notification.subscription for notification in tocsin.match(rows, text)]
['odd']
"""

from tocsin._version import __version__
from tocsin.api import match
from tocsin.errors import (
    ConfigurationError,
    DurationError,
    EventError,
    LanguageError,
    TimeError,
    TocsinError,
    UnsupportedError,
)
from tocsin.language import builder as build
from tocsin.language.checker import Checked, LanguageWarning, check
from tocsin.language.parser import parse
from tocsin.language.printer import format_text, to_text
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notification, Notifications

__all__ = [
    "Checked",
    "ConfigurationError",
    "DeadLetter",
    "DurationError",
    "EventError",
    "LanguageError",
    "LanguageWarning",
    "Notification",
    "Notifications",
    "TimeError",
    "TocsinError",
    "UnsupportedError",
    "__version__",
    "build",
    "check",
    "format_text",
    "match",
    "parse",
    "to_text",
]
