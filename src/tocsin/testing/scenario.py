"""Running scenarios and telling how what came differs from what was expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tocsin.api import match
from tocsin.errors import TocsinError
from tocsin.language.load import load_program
from tocsin.model.notification import Notifications
from tocsin.testing.scenario_compare import Pairing, pair
from tocsin.testing.scenario_expect import Expectation, describe_notification
from tocsin.testing.scenario_file import Case, read_scenario
from tocsin.testing.scenario_inputs import events_of, table_of
from tocsin.testing.scenario_tables import naming_rows

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
        found = _match(case)
    except TocsinError as error:
        return ScenarioResult(path, case.name, (f"it did not run: {error}",), None)
    return ScenarioResult(path, case.name, tuple(_problems(case, found)), found)


def _match(case: Case) -> Notifications:
    program = load_program(case.subscriptions)
    table = table_of(case)
    with naming_rows(program, table, "the table"):
        return match(
            events_of(case),
            program,
            table=table,
            **case.options,  # type: ignore[arg-type]  # the reader has checked them
        )


def _problems(case: Case, found: Notifications) -> Iterator[str]:
    problems = list(_wrong_counts(case, found))
    if case.expected is not None:
        problems += _wrong_notifications(case, case.expected, found)
    letters = found.dead_letters
    if len(letters) != case.dead_letters:
        problems.append(
            f"expected {_counted(case.dead_letters, 'dead letter')}, came {len(letters)}"
        )
    yield from problems
    if problems and letters:
        yield "rows that became dead letters:"
        yield from _shown([f"  row {letter.row}: {letter.reason}" for letter in letters])


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
    nearest = _nearest(expected, pairing, fits)
    yield from _shown([_missing(i, nearest.get(i), fits) for i in pairing.missing])
    moved = {j for i, j in nearest.items() if fits(i, j)}
    yield from _shown([_unexpected(j, found) for j in unexpected if j not in moved])


@dataclass(frozen=True, slots=True)
class _Fits:
    expected: tuple[Expectation, ...]
    found: Notifications

    def __call__(self, i: int, j: int) -> bool:
        return self.expected[i].fits(self.found[j], self.found.form)

    def differences(self, i: int, j: int) -> list[str]:
        return self.expected[i].differences(self.found[j], self.found.form)


def _nearest(expected: tuple[Expectation, ...], pairing: Pairing, fits: _Fits) -> dict[int, int]:
    """Return for each missing one the nearest of those nobody expected, each at most once."""
    free = list(pairing.unexpected)
    nearest = {}
    for i in pairing.missing:
        name = expected[i].plain.get("subscription")
        near = [j for j in free if name in (None, fits.found[j].subscription)]
        if near:
            nearest[i] = min(near, key=lambda j: (len(fits.differences(i, j)), j))
            free.remove(nearest[i])
    return nearest


def _missing(i: int, nearest: int | None, fits: _Fits) -> str:
    said = f"missing     {i + 1}. {fits.expected[i].describe(fits.found.form)}"
    if nearest is None:
        return said
    differences = fits.differences(i, nearest)
    if not differences:
        return f"{said}\n            it came, but in another place: as number {nearest + 1}"
    lines = "".join(f"\n              {line}" for line in differences)
    return (
        f"{said}\n            the nearest that came is number {nearest + 1}; it differs in{lines}"
    )


def _unexpected(j: int, found: Notifications) -> str:
    return f"unexpected  {j + 1}. {describe_notification(found[j], found.form)}"


def _shown(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST_SHOWN]
    if len(lines) > _MOST_SHOWN:
        yield f"… and {len(lines) - _MOST_SHOWN} more like these"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
