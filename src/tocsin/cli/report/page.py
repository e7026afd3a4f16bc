"""The page of a report."""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

from tocsin.cli.report.charts import Histogram, bars, legend, stacked
from tocsin.model.times import TimeForm, format_time, parse_time
from tocsin.model.values import Timestamp

_BINS: Final = 48
_SHOWN: Final = 30
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { color: #c2410c; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #8884; }
svg { width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: currentColor; }
.grid { stroke: #8884; fill: none; }
pre { background: #8881; padding: .8rem; overflow-x: auto; font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
td, th { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #8883; }
.mark { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
.plan { width: calc(100vw - 4rem); margin-left: 50%; transform: translateX(-50%); }
.drawing { background: #fff; overflow-x: auto; border: 1px solid #8884; }
.drawing img { display: block; margin: 0 auto; max-width: 100%; height: auto; }
#full-size:checked ~ .drawing img { max-width: none; }
@media print { .plan { width: 100%; } #full-size, #full-size + label { display: none; } }
.same { color: #047857; font-weight: bold; } .differs { color: #be123c; font-weight: bold; }
"""

_ABOUT: Final = (
    "A subscription of tocsin says in a few lines which events it waits for. Here some of them "
    "were run over one set of events; below stands when and how often each one matched, what they "
    "say, and how they are run."
)
_OF_AUTOMATON: Final = (
    "What the subscriptions became: each state waits for an event, and an arrow says which event "
    "leads on. Subscriptions that begin alike share states."
)


@dataclass(frozen=True, slots=True)
class Report:
    """What a page tells of a run.

    Attributes
    ----------
    title
        Of the page.
    facts
        Short lines: what, and how much.
    comparisons
        Who gave the same notifications as the first run, and whether it did.
    program
        The text of the subscriptions.
    notifications
        As `Notifications.to_dicts` gives them, in their order; moments may be datetimes.
    names
        The subscriptions, those that never matched too.
    drawing
        The plan as SVG.
    plan, partitions
        What the plan, and the planner for Spark, say in words.
    note
        What is to be known about the facts.
    """

    title: str
    facts: Mapping[str, str]
    comparisons: Mapping[str, bool]
    program: str
    notifications: Sequence[Mapping[str, Any]]
    names: Sequence[str]
    drawing: str
    partitions: str
    plan: str = field(default="")
    note: str = ""


def to_html(report: Report) -> str:
    """Return a page that needs no other file and no network."""
    counts = Counter(str(one["subscription"]) for one in report.notifications)
    by_name = {name: counts[name] for name in report.names}
    sections = (
        _facts(report),
        _section("Matches over time", _over_time(report)),
        _section("Matches of each subscription", bars(by_name, "matches of each subscription")),
        _section("The subscriptions", _pre(report.program)),
        _section("The automaton", f"<p>{escape(_OF_AUTOMATON)}</p>{_image(report.drawing)}"),
        _section("The plan", _pre(report.plan)) if report.plan else "",
        _section("How Spark splits the work, and why that is exact", _pre(report.partitions)),
        _section(_first(report.notifications), _table(report.notifications[:_SHOWN])),
    )
    head = f'<meta charset="utf-8"><title>{escape(report.title)}</title><style>{_STYLE}</style>'
    about = "".join(f"<p>{escape(one)}</p>" for one in (_ABOUT, report.note) if one)
    body = f"<h1>{escape(report.title)}</h1>{about}{''.join(sections)}"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _first(notifications: Sequence[Mapping[str, Any]]) -> str:
    if len(notifications) > _SHOWN:
        return f"The first {_SHOWN} of {len(notifications):,} notifications"
    return "The notifications"


def _section(title: str, content: str) -> str:
    return f"<h2>{escape(title)}</h2>{content}\n"


def _facts(report: Report) -> str:
    rows = [f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in report.facts.items()]
    for who, is_same in report.comparisons.items():
        said = "the same notifications" if is_same else "different notifications"
        sign = "same" if is_same else "differs"
        rows.append(f'<tr><th>{escape(who)}</th><td class="{sign}">{said}</td></tr>')
    return f"<table>{''.join(rows)}</table>"


def _over_time(report: Report) -> str:
    moments = [(str(one["subscription"]), _seconds(one["at"])) for one in report.notifications]
    if not moments:
        return "<p>There was no match.</p>"
    first, last = min(at for _, at in moments), max(at for _, at in moments)
    width = max((last - first) / _BINS, 1e-6)
    counts = {name: [0] * _BINS for name in report.names}
    for name, at in moments:
        counts[name][min(int((at - first) / width), _BINS - 1)] += 1
    labels = [_clock(first + place * width) for place in range(_BINS)]
    chart = stacked(Histogram(labels, counts), "matches over time")
    days = f"<p>From {_moment_at(first)} to {_moment_at(last)}; all times are UTC.</p>"
    return legend(report.names) + chart + days


def _seconds(moment: object) -> float:
    return int(parse_time(moment)) / 1_000_000


def _moment_at(seconds: float) -> str:
    return _moment(Timestamp(round(seconds * 1_000_000)))


def _moment(moment: object) -> str:
    """Return a moment as values of notifications show it, whatever it came as."""
    return str(format_time(parse_time(moment), TimeForm.ISO))


def _clock(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).strftime("%H:%M")


def _table(notifications: Sequence[Mapping[str, Any]]) -> str:
    head = "<tr><th>at</th><th>subscription</th><th>values</th></tr>"
    rows = (
        f"<tr><td>{escape(_moment(one['at']))}</td><td>{escape(str(one['subscription']))}</td>"
        f"<td>{escape(_values(one))}</td></tr>"
        for one in notifications
    )
    return f"<table>{head}{''.join(rows)}</table>"


def _values(one: Mapping[str, Any]) -> str:
    values = dict(one["emit"]) or dict(one["variables"])
    return ", ".join(f"{name} {_shown(value)}" for name, value in values.items())


def _shown(value: object) -> str:
    """Return a value; a text that came as JSON, as tables of notifications have it, unquoted."""
    if isinstance(value, str) and value.startswith('"'):
        with suppress(ValueError):  # a text may begin so without being JSON
            return str(json.loads(value))
    return str(value)


def _pre(text: str) -> str:
    return f"<pre>{escape(text.strip())}</pre>"


def _image(svg: str) -> str:
    """Return a drawing whose styles touch nothing else on the page, as wide as the window allows.

    A wide one is made smaller, so that nothing of it is cut; a box brings its full size back.
    """
    data = base64.b64encode(svg.encode()).decode()
    image = f'<img alt="the plan" src="data:image/svg+xml;base64,{data}">'
    box = '<input type="checkbox" id="full-size"><label for="full-size"> full size</label>'
    return f'<div class="plan">{box}<div class="drawing">{image}</div></div>'
