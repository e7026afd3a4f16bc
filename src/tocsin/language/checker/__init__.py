"""The checker: every error a program can hold, with its place and what to do about it."""

from tocsin.language.checker.checked import Checked, Facts
from tocsin.language.checker.problems import LanguageWarning
from tocsin.language.checker.program import check

__all__ = ["Checked", "Facts", "LanguageWarning", "check"]
