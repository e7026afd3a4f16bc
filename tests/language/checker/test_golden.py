"""Every wrong program under `errors/` gives exactly the message beside it.

`TOCSIN_UPDATE_GOLDEN=1` writes the messages anew; read them before you keep them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tocsin.errors import LanguageError
from tocsin.language.checker import check
from tocsin.language.parser import parse

LANGUAGE = Path(__file__).parent.parent
ERRORS = sorted((LANGUAGE / "errors").rglob("*.tocsin"))
WARNINGS = sorted((LANGUAGE / "warnings").rglob("*.tocsin"))
UPDATING = os.environ.get("TOCSIN_UPDATE_GOLDEN") == "1"


def name_of(path: Path) -> str:
    return "/".join(path.with_suffix("").parts[-2:])


def compare(path: Path, found: str) -> None:
    golden = path.with_suffix(".expected")
    if UPDATING:
        golden.write_text(found + "\n", encoding="utf-8")
    assert found + "\n" == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ERRORS, ids=name_of)
def test_a_wrong_program_gives_its_message(path: Path) -> None:
    with pytest.raises(LanguageError) as caught:
        check(parse(path.read_text(encoding="utf-8")))
    compare(path, str(caught.value))


@pytest.mark.parametrize("path", WARNINGS, ids=name_of)
def test_a_doubtful_program_gives_its_warning(path: Path) -> None:
    checked = check(parse(path.read_text(encoding="utf-8")))
    assert checked.warnings
    compare(path, "\n\n".join(str(warning) for warning in checked.warnings))


@pytest.mark.parametrize("path", ERRORS, ids=name_of)
def test_a_message_says_what_to_do(path: Path) -> None:
    with pytest.raises(LanguageError) as caught:
        check(parse(path.read_text(encoding="utf-8")))
    assert all(problem.hint for problem in caught.value.problems)


@pytest.mark.parametrize("path", ERRORS, ids=name_of)
def test_a_place_lies_in_the_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    with pytest.raises(LanguageError) as caught:
        check(parse(text))
    for problem in caught.value.problems:
        assert text.split("\n")[problem.line - 1].rstrip("\r") == problem.source
        assert 1 <= problem.column <= len(problem.source) + 1


def test_every_expected_message_has_its_program() -> None:
    expected = {p for p in LANGUAGE.rglob("*.expected") if p.parts[-3] in {"errors", "language"}}
    assert expected <= {path.with_suffix(".expected") for path in (*ERRORS, *WARNINGS)}
