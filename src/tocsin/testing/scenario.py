"""Running scenarios and telling how what came differs from what was expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tocsin.api import match
from tocsin.errors import TocsinError
from tocsin.model.notification import Notification, Notifications
from tocsin.testing.scenario_compare import Pairing, pair
from tocsin.testing.scenario_expect import Expectation, describe_notification
from tocsin.testing.scenario_file import Case, read_scenario
from tocsin.testing.scenario_inputs import events_of, table_of

_MOST_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """How one case went.

    Attributes
    ----------
    path, name
        The file and the case.
    problems
        What is otherwise than expected; empty where the case passed.
    notifications
        What came; None where the case could not run.
    """

    path: Path
    name: str
    problems: tuple[str, ...]
    notifications: Notifications | None

    @property
    def passed(self) -> bool:
        """Whether everything came as expected."""
        return not self.problems

    def __str__(self) -> str:
        if self.passed:
            return f"{self.path}: {self.name}: passed"
        lines = [line for problem in self.problems for line in problem.splitlines()]
        return "\n".join([f"{self.path}: {self.name}: failed", *(f"  {line}" for line in lines)])


def run_scenario(path: Path | str) -> list[ScenarioResult]:
    """Run all cases of a scenario file.

    Raises
    ------
    ScenarioError
        The file cannot be read as a scenario.
    """
    scenario = read_scenario(path)
    return [run_case(scenario.path, case) for case in scenario.cases]


def run_case(path: Path, case: Case) -> ScenarioResult:
    """Run one case; a subscription that is refused is a failure like any other."""
    try:
        found = match(
            events_of(case),
            case.subscriptions,
            table=table_of(case),
            **case.options,  # type: ignore[arg-type]  # the reader has checked them
        )
    except TocsinError as error:
        return ScenarioResult(path, case.name, (f"it did not run: {error}",), None)
    return ScenarioResult(path, case.name, tuple(_problems(case, found)), found)


def _problems(case: Case, found: Notifications) -> Iterator[str]:
    yield from _wrong_counts(case, found)
    if case.expected is not None:
        yield from _wrong_notifications(case, case.expected, found)
    letters = found.dead_letters
    if case.dead_letters is not None and len(letters) != case.dead_letters:
        yield f"expected {_counted(case.dead_letters, 'dead letter')}, came {len(letters)}"
        for letter in letters[:_MOST_SHOWN]:
            yield f"  row {letter.row}: {letter.reason}"


def _wrong_counts(case: Case, found: Notifications) -> Iterator[str]:
    came = Counter(notification.subscription for notification in found)
    for name, count in case.counts.items():
        number = came[name] if name else len(found)
        if number != count:
            of = f" of {name}" if name else ""
            yield f"expected {_counted(count, 'notification')}{of}, came {number}"


def _wrong_notifications(
    case: Case, expected: tuple[Expectation, ...], found: Notifications
) -> Iterator[str]:
    fits = _Fits(expected, found)
    pairing = pair(len(expected), len(found), fits, ordered=case.ordered)
    unexpected = pairing.unexpected if case.complete else ()
    if not pairing.missing and not unexpected:
        return
    yield f"expected {_counted(len(expected), 'notification')}, came {len(found)}"
    yield from _shown(list(_missing(expected, pairing, fits)))
    form = found.form
    yield from _shown(
        [f"unexpected  {j + 1}. {describe_notification(found[j], form)}" for j in unexpected]
    )


@dataclass(frozen=True, slots=True)
class _Fits:
    expected: tuple[Expectation, ...]
    found: Notifications

    def __call__(self, i: int, j: int) -> bool:
        return not self.differences(i, j)

    def differences(self, i: int, j: int) -> list[str]:
        return self.expected[i].differences(self.found[j], self.found.form)

    def came(self, j: int) -> Notification:
        return self.found[j]


def _missing(expected: tuple[Expectation, ...], pairing: Pairing, fits: _Fits) -> Iterator[str]:
    """Tell each missing one with the nearest of those nobody expected."""
    free = list(pairing.unexpected)
    for i in pairing.missing:
        said = f"missing     {i + 1}. {expected[i].describe(fits.found.form)}"
        name = expected[i].plain.get("subscription")
        near = [j for j in free if name in (None, fits.came(j).subscription)]
        if near:
            nearest = min(near, key=lambda j: (len(fits.differences(i, j)), j))
            free.remove(nearest)
            said += _near_miss(fits.differences(i, nearest), nearest + 1)
        yield said


def _near_miss(differences: list[str], number: int) -> str:
    if not differences:
        return f"\n            it came, but in another place: as number {number}"
    lines = "".join(f"\n              {line}" for line in differences)
    return f"\n            the nearest that came is number {number}; it differs in{lines}"


def _shown(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST_SHOWN]
    if len(lines) > _MOST_SHOWN:
        yield f"… and {len(lines) - _MOST_SHOWN} more like these"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
