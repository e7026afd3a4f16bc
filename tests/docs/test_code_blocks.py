"""The code blocks of README.md and of the pages do what they say.

```python     run in order, in one namespace per page; `>>>` examples must give what they show
```console    commands that call tocsin run; output shown below one must be its output
```tocsin     parsed and checked; with the word `invalid` they must be refused
```           anything else is not looked at, nor is a block with the word `no-run`

A page's blocks run in a directory of their own that holds a copy of `examples/`, so that one block
can use what an earlier one wrote.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tocsin.errors import LanguageError
from tocsin.language.checker import check
from tocsin.language.parser import parse

ROOT = Path(__file__).parents[2]
PAGES = [
    path for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if path.exists()
]
_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>.*)$")
_CALLS_TOCSIN = re.compile(r"(?:^|[|;&]\s*)tocsin\b")
_FIRST_RUN = "tocsin: compiling its kernels"
_PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language and further words, its code, the line of its first code."""

    words: tuple[str, ...]
    code: str
    line: int

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""


@dataclass(frozen=True, slots=True)
class Command:
    """A shell command of a console block and the output shown below it."""

    text: str
    shown: str


def blocks_of(text: str) -> list[Block]:
    """Return the fenced blocks of a page, indented ones in lists included."""
    found: list[Block] = []
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        opening = _FENCE.match(line)
        if opening is None or "`" in opening["info"]:
            continue
        body: list[str] = []
        for _, inner in lines:
            if _closes(inner, opening["marks"]):
                break
            body.append(inner.removeprefix(opening["indent"]))
        code = "".join(f"{row}\n" for row in body)
        found.append(Block(tuple(opening["info"].split()), code, number + 1))
    return found


def _closes(line: str, marks: str) -> bool:
    stripped = line.strip()
    return stripped.startswith(marks) and not stripped.strip(marks[0])


def commands_of(code: str) -> list[Command]:
    """Return the commands of a console block; a backslash at the end continues a command."""
    found: list[Command] = []
    lines = iter(code.splitlines())
    for line in lines:
        if line.startswith("$ "):
            text = line[2:]
            while text.endswith("\\"):
                text = text[:-1].rstrip() + " " + next(lines, "").removeprefix(">").strip()
            found.append(Command(text, ""))
        elif found:
            found[-1] = Command(found[-1].text, f"{found[-1].shown}{line}\n")
    return found


def run_python(block: Block, page: str, namespace: dict[str, object]) -> None:
    if block.code.lstrip().startswith(">>>"):
        _run_examples(block, page, namespace)
        return
    # The empty lines make a traceback show the line of the page.
    padded = "\n" * (block.line - 1) + block.code
    exec(compile(padded, page, "exec", dont_inherit=True), namespace)


def _run_examples(block: Block, page: str, namespace: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(block.code, {}, page, page, block.line - 1)
    test.globs = namespace
    report = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    failed = runner.run(test, out=report.write, clear_globs=False).failed
    assert not failed, report.getvalue()


def run_console(block: Block, page: str, directory: Path) -> None:
    for command in commands_of(block.code):
        if not _CALLS_TOCSIN.search(command.text):
            continue
        result = _shell(command.text, directory)
        place = f"{page}, the block at line {block.line}: $ {command.text}"
        if command.shown.strip():
            assert _visible(result.stdout) == _visible(command.shown), place
        else:
            assert result.returncode == 0, f"{place}\n{result.stdout}"


def _shell(text: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a reader would: with the `tocsin` of this Python, outputs in one."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    return subprocess.run(
        text,
        shell=True,
        cwd=directory,
        env={**os.environ, **_PLAIN, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def _visible(output: str) -> str:
    """Drop what nobody sees: spaces at the ends of lines, empty lines around the whole.

    Nor does anybody see twice that kernels are compiled.
    """
    lines = (line.rstrip() for line in output.splitlines() if not line.startswith(_FIRST_RUN))
    return "\n".join(lines).strip("\n")


def run_program(block: Block, page: str) -> None:
    """Parse and check a program; where the block says `invalid`, that must fail."""
    refusal: LanguageError | None = None
    try:
        check(parse(block.code))
    except LanguageError as error:
        refusal = error
    place = f"{page}, the block at line {block.line}"
    if "invalid" in block.words:
        assert refusal is not None, f"{place} says `invalid`, but the program is right"
    else:
        assert refusal is None, f"{place}:\n{refusal}"


def run_page(path: Path, directory: Path) -> None:
    page = path.relative_to(ROOT).as_posix()
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(path.read_text(encoding="utf-8")):
        if "no-run" in block.words:
            continue
        if block.language == "python":
            run_python(block, page, namespace)
        elif block.language == "console":
            run_console(block, page, directory)
        elif block.language == "tocsin":
            run_program(block, page)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with contextlib.suppress(FileNotFoundError):
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for name, value in _PLAIN.items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_code_blocks_of_a_page_do_what_they_say(page: Path, directory: Path) -> None:
    run_page(page, directory)


def test_blocks_are_found_in_lists_and_inside_longer_fences() -> None:
    text = "- x\n\n    ```python no-run\n    a = 1\n    ```\n\n````md\n```python\n```\n````\n"
    assert blocks_of(text) == [
        Block(("python", "no-run"), "a = 1\n", 4),
        Block(("md",), "```python\n```\n", 8),
    ]


def test_a_command_can_go_on_over_lines_and_keeps_its_output() -> None:
    code = "$ tocsin run a \\\n    --events b\none\n\ntwo\n$ make run\n"
    assert commands_of(code) == [
        Command("tocsin run a --events b", "one\n\ntwo\n"),
        Command("make run", ""),
    ]


def test_a_wrong_example_fails_with_the_line_of_the_page() -> None:
    with pytest.raises(AssertionError, match=r'File "page.md", line 7'):
        run_python(Block(("python",), ">>> 1 + 1\n3\n", 7), "page.md", {})


def test_python_blocks_share_a_namespace() -> None:
    namespace: dict[str, object] = {}
    run_python(Block(("python",), "x = 1\n", 3), "page.md", namespace)
    run_python(Block(("python",), ">>> x\n1\n", 9), "page.md", namespace)
