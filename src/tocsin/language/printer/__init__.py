"""From tree to text: one canonical form for each program."""

from tocsin.language.printer.formatting import format_text
from tocsin.language.printer.text import Node, to_text

__all__ = ["Node", "format_text", "to_text"]
