"""What mkdocs does for tocsin's pages beyond its own options."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure import StructureItem

ORDER: Final = ("index", "tutorial", "how-to", "reference", "explanation", "decisions", "changelog")

# A fence with further words after its language: "```python no-run", "```tocsin invalid".
_FENCE: Final = re.compile(
    r"^([ \t]*(?:`{3,}|~{3,})[ \t]*[\w-]+)(?:[ \t]+(?:no-run|invalid))+[ \t]*$", re.MULTILINE
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the changelog, which lives at the top of the project, as a page."""
    changelog = Path(config.config_file_path).with_name("CHANGELOG.md")
    text = changelog.read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=text))
    return files


def on_nav(nav: Navigation, **_: object) -> Navigation:
    """Put the folders in the order in which people need them."""
    nav.items.sort(key=_place)
    return nav


def on_page_markdown(markdown: str, **_: object) -> str:
    """Drop the words that `tests/docs/test_code_blocks.py` reads and a reader need not see."""
    return _FENCE.sub(r"\1", markdown)


def _place(item: StructureItem) -> tuple[int, str]:
    """Return the sort key of a top-level page or folder; unknown ones come last."""
    name = _first_part(item)
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def _first_part(item: StructureItem) -> str:
    """Return the first part of the path of a page, or of the first page in a folder."""
    while isinstance(item, Section):
        item = item.children[0]
    return Path(item.file.src_uri).with_suffix("").parts[0] if isinstance(item, Page) else ""
