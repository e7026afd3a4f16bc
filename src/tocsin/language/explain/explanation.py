"""A subscription explained: its normal form, its steps and its clauses."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tocsin.language.explain.clauses import clauses, sources
from tocsin.language.explain.normal_form import atoms_of, definitions_of, normal_form
from tocsin.language.explain.patterns import PatternWords
from tocsin.language.explain.steps import Step, lay_out
from tocsin.language.printer import to_text
from tocsin.language.printer.layout import Doc
from tocsin.language.printer.statements import clause_text, clauses_of, head_text
from tocsin.language.tree import Absence, Program, Subscription

_TITLE_WIDTH: Final = 12
_BEFORE_POLICIES: Final = ("MATCH", "WHERE", "WITHIN")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one subscription means.

    Attributes
    ----------
    name
        The subscription.
    normal_form
        Its text with definitions written out, sequences made flat and policies spelled out.
    reads
        The streams it reads, in words.
    opening
        The sentence before the steps.
    steps
        The pattern, part by part.
    clauses
        Title and sentence of each clause.
    """

    name: str
    normal_form: str
    reads: str
    opening: str
    steps: tuple[Step, ...]
    clauses: tuple[tuple[str, str], ...]

    def to_text(self, *, width: int = 100) -> str:
        """Return the explanation as plain lines.

        Examples
        --------
        >>> from tocsin.language.parser import parse
        >>> print(explain(parse("SUBSCRIBE hot MATCH a:[t > 30] , b:[t > 30]"))[0].to_text())
        hot
        <BLANKLINE>
        Normal form
          SUBSCRIBE hot FROM default
          MATCH   a:[t > 30] , b:[t > 30]
          DUPLICATES ALL
          PAIRS   ALL;
        <BLANKLINE>
        Meaning
          It reads the stream default.
          A match is every way to find, in this order:
            1. a: an event with t > 30
            2. b: the very next event, if it is one with t > 30
          Duplicates  every match counts, also several that complete at the same point
          Pairs       an event may take part in any number of matches
          Since       only events that come after the subscription was made count
        """
        lines = [self.name, "", "Normal form"]
        lines += [f"  {line}" for line in self.normal_form.splitlines()]
        lines += ["", "Meaning", f"  It reads {self.reads}.", f"  {self.opening}"]
        lines += [f"    {line}" for line in lay_out(self.steps, width=width - 4)]
        for title, sentence in self.clauses:
            lines += _clause(title, sentence, width)
        return "\n".join(lines)


def explain(program: Program, *, names: Iterable[str] | None = None) -> list[Explanation]:
    """Explain the subscriptions of a program that passed the checker.

    Parameters
    ----------
    program
        Its definitions are used where they are named.
    names
        The subscriptions to explain; all of them where it is None.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> explain(parse("SUBSCRIBE hot MATCH [t > 30]"))[0].steps[0].text
    '_1: an event with t > 30'
    """
    wanted = None if names is None else set(names)
    return [
        _explained(subscription, program)
        for subscription in program.subscriptions
        if wanted is None or subscription.name in wanted
    ]


def _explained(subscription: Subscription, program: Program) -> Explanation:
    normal = normal_form(subscription, program)
    numbers = {id(atom): f"_{n}" for n, atom in enumerate(atoms_of(normal.pattern), start=1)}
    words = PatternWords(definitions_of(program), numbers)
    steps = words.steps(normal.pattern)
    return Explanation(
        name=subscription.name,
        normal_form=_normal_text(normal, program),
        reads=sources(normal),
        opening=_opening(normal, len(steps)),
        steps=steps,
        clauses=tuple(clauses(normal)),
    )


def _opening(normal: Subscription, count: int) -> str:
    if isinstance(normal.pattern, Absence):
        return "It tells about:"
    order = ", in this order" if count > 1 else ""
    return f"A match is every way to find{order}:"


def _normal_text(normal: Subscription, program: Program) -> str:
    """Print the normal form with the policies that the printer leaves out."""
    names = {atom.name for atom in atoms_of(normal.pattern)}
    needed = [to_text(d) for d in program.definitions if d.name in names]
    rest = dict(clauses_of(normal))
    shown: dict[str, Doc] = {
        keyword: rest.pop(keyword) for keyword in _BEFORE_POLICIES if keyword in rest
    }
    shown |= {"DUPLICATES": normal.duplicates, "PAIRS": normal.pairs}
    shown |= {keyword: doc for keyword, doc in rest.items() if keyword not in shown}
    texts = [clause_text(keyword, doc, behind=1) for keyword, doc in shown.items()]
    return "\n".join([*needed, head_text(normal), *texts]) + ";"


def _clause(title: str, sentence: str, width: int) -> list[str]:
    return textwrap.wrap(
        sentence,
        width=width,
        initial_indent=f"  {title:<{_TITLE_WIDTH}}",
        subsequent_indent=" " * (_TITLE_WIDTH + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
