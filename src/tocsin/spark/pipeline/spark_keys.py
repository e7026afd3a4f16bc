"""The table `[spark]` of a pipeline's file: settings whose values can be judged without Spark."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class _Kind(NamedTuple):
    """What values of a setting look like, and how to say so."""

    form: re.Pattern[str]
    said: str


_COUNT: Final = _Kind(re.compile(r"[1-9][0-9]*"), "a whole number above 0")
_COUNT_OR_NONE: Final = _Kind(re.compile("[0-9]+"), "a whole number from 0 on")
_WHOLE: Final = _Kind(re.compile("-?[0-9]+"), "a whole number; 0 and less set no limit")
_FLAG: Final = _Kind(re.compile("true|false", re.IGNORECASE), "true or false")
_SIZE: Final = _Kind(re.compile("[0-9]+[kmgtp]?b?", re.IGNORECASE), 'a size such as "4g" or "512m"')
_MASTER: Final = _Kind(
    re.compile(r"local(\[.+\])?|local-cluster\[.+\]|yarn|(spark|k8s)://.+"),
    '"local[4]", "spark://host:7077", "yarn" or "k8s://…"',
)
_KINDS: Final = {
    "spark.master": _MASTER,
    "spark.cores.max": _COUNT,
    "spark.default.parallelism": _COUNT,
    "spark.driver.cores": _COUNT,
    "spark.driver.maxResultSize": _SIZE,
    "spark.driver.memory": _SIZE,
    "spark.driver.memoryOverhead": _SIZE,
    "spark.dynamicAllocation.enabled": _FLAG,
    "spark.eventLog.enabled": _FLAG,
    "spark.executor.cores": _COUNT,
    "spark.executor.instances": _COUNT_OR_NONE,
    "spark.executor.memory": _SIZE,
    "spark.executor.memoryOverhead": _SIZE,
    "spark.speculation": _FLAG,
    "spark.sql.adaptive.enabled": _FLAG,
    "spark.sql.ansi.enabled": _FLAG,
    "spark.sql.caseSensitive": _FLAG,
    "spark.sql.execution.arrow.maxRecordsPerBatch": _WHOLE,
    "spark.sql.shuffle.partitions": _COUNT,
    "spark.task.cpus": _COUNT,
    "spark.ui.enabled": _FLAG,
}
_CONNECT: Final = "sc://"


def setting_problem(name: str, value: str) -> str | None:
    """Return what is wrong with a setting; None where nothing is, or only Spark can tell.

    Examples
    --------
    >>> setting_problem("spark.sql.shuffle.partitions", "many")
    "it must be a whole number above 0, and is 'many'"
    >>> setting_problem("spark.shuffle", "8")
    'Spark would ignore it; did you mean spark.sql.shuffle.partitions?'
    >>> setting_problem("spark.example.depth", "deep") is None
    True
    """
    if name == "spark.master" and value.startswith(_CONNECT):
        return f"'{value}' is Spark Connect; give such a session to run_pipeline(…, spark=…)"
    kind = _KINDS.get(name)
    if kind is not None:
        return None if kind.form.fullmatch(value) else f"it must be {kind.said}, and is '{value}'"
    _, *words = name.split(".")
    meant = [known for known in _KINDS if len(words) == 1 and words[0] in known.split(".")[1:]]
    return f"Spark would ignore it; did you mean {' or '.join(meant)}?" if meant else None
