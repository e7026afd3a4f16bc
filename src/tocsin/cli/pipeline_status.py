"""How a run stands, from the lines of its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_STATES: Final = {"end": "ended", "failed": "failed", "stopped": "stopped"}
_STATES_OF_PROCESS: Final = {
    True: "running",
    False: "stopped without finishing (killed?)",
    None: "running when last heard of",
}
"""How a run stands whose log has no end, by whether its process is there."""
_NOTHING: Final = "no run has written anything yet; one may be starting Spark"
_KIBI: Final = 1024
_COUNTED: Final = ("notifications", "late", "refused", "dead_letters", "bad_programs")


def status_lines(run: Sequence[Mapping[str, Any]], *, is_running: bool | None = None) -> list[str]:
    r"""Return what is known of a run from the lines of its log, a fact a line.

    Parameters
    ----------
    is_running
        Whether its process is there; None where that cannot be told from here.

    Examples
    --------
    >>> start = {"what": "start", "mode": "batch", "logged": "2026-03-02T09:00:00+00:00"}
    >>> end = {"what": "end", "seconds": 2.5, "events": 7, "notifications": 2}
    >>> print("\n".join(status_lines([start, end])))
    state          ended
    mode           batch
    started        2026-03-02T09:00:00+00:00
    seconds        2.5
    events         7
    notifications  2
    """
    facts = _facts(run, is_running=is_running)
    width = max(map(len, facts), default=0)
    return [f"{name:<{width}}  {value}" for name, value in facts.items()]


def _facts(run: Sequence[Mapping[str, Any]], *, is_running: bool | None) -> dict[str, str]:
    if not run:
        return {"state": _NOTHING}
    state = next((_STATES[one["what"]] for one in reversed(run) if one["what"] in _STATES), None)
    start = run[0]
    facts = {
        "state": state or _STATES_OF_PROCESS[is_running],
        "mode": start.get("mode"),
        "started": start.get("logged"),
    }
    if state is None:
        facts["process"] = _process(start)
        facts["last heard of"] = run[-1].get("logged")
    progress = [one for one in run if one["what"] == "progress"]
    if progress:
        facts |= _of_progress(progress)
    for line in run:
        if line["what"] in ("read", *_STATES):
            facts |= {name: value for name, value in line.items() if name not in ("what", "logged")}
    return {name.replace("_", " "): _shown(value) for name, value in facts.items() if value != ""}


def _process(start: Mapping[str, Any]) -> str | None:
    return f"{start['pid']} on {start['host']}" if "pid" in start and "host" in start else None


def _of_progress(progress: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how far a stream is; how fast, by the last micro-batch that had something to do."""
    from tocsin.spark.pipeline.standing import shown_seconds  # noqa: PLC0415 - needs Spark

    last = progress[-1]
    rates = [one["processed_rows_per_s"] for one in progress if one["rows"]]
    return {
        "batch": last["batch"],
        "events": sum(one["rows"] - one.get("dead_letters", 0) for one in progress),
        **{name: sum(one.get(name, 0) for one in progress) for name in _COUNTED},
        "events a second": rates[-1] if rates else None,
        "coming in a second": last["input_rows_per_s"],
        "values in the state": last["state_rows"],
        "size of the state": f"{last['state_bytes'] / _KIBI:,.0f} KiB",
        "watermark": last["watermark"],
        "lag": None if last["lag_s"] is None else shown_seconds(last["lag_s"]),
        "last batch": last["logged"],
    }


def _shown(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int | float) else str(value)
