"""The pytest plug-in: files that end in `.scenario.toml` are tests, one for each case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tocsin.testing import Case

# pytest loads this with every session: tocsin itself is imported only for files that need it.
_SUFFIX = ".scenario.toml"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect scenario files."""
    if not file_path.name.endswith(_SUFFIX):
        return None
    collected: pytest.Collector = ScenarioFile.from_parent(parent, path=file_path)
    return collected


class ScenarioFile(pytest.File):
    """A scenario file."""

    def collect(self) -> Iterator[pytest.Item]:
        """Give an item for each case; a file that cannot be read is an error of collection."""
        from tocsin.testing import ScenarioError, read_scenario  # noqa: PLC0415 - see above

        try:
            scenario = read_scenario(self.path)
        except ScenarioError as error:
            raise self.CollectError(str(error)) from error
        for case in scenario.cases:
            yield ScenarioItem.from_parent(self, name=case.name, case=case)


class ScenarioItem(pytest.Item):
    """A case of a scenario file."""

    def __init__(self, *, case: Case, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.case = case

    def runtest(self) -> None:
        """Run the case."""
        from tocsin.testing import run_case  # noqa: PLC0415 - see above

        result = run_case(self.path, self.case)
        if not result.passed:
            raise ScenarioFailed(str(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the difference instead of where in tocsin it was found."""
        if isinstance(excinfo.value, ScenarioFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return what pytest shows as the place of the test."""
        return self.path, None, self.name


class ScenarioFailed(AssertionError):
    """What came is not what the case expects."""
