"""A fixture for folders in which every test is to hold for every engine."""

from collections.abc import Iterator

import pytest

import tocsin
from tocsin.api import ENGINES


@pytest.fixture(scope="module", autouse=True, params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """Let `tocsin.match` use one engine after the other where a test names none."""
    defaults = tocsin.match.__kwdefaults__
    before = defaults["engine"]
    defaults["engine"] = request.param
    yield request.param
    defaults["engine"] = before
