"""The five templates of the paper in the language.

The paper writes `σ` for a condition, `;θ` for "followed by the next event that satisfies θ" and `μ`
for iteration. `θ1`, `θ2`, `θ3` are the conditions of the steps, `ATT = CONST` is the primary
predicate, and `DUR` is the length of the match so far, both ends counted.

LinearStat, `σθ3(σθ2(σθ1(S1); S2); S3)`
    Three events, one directly behind the other: `a , b , c`.
LinearDyn
    The same; `θ2` and `θ3` also compare with the first event, as in `c1 >= 1.01 * a.c1`.
Filter, `σθ3(σθ2(σθ1(S1) ;θ4 S2) ;θ5 S3)` with `DUR ≤ t ∧ ATT = CONST` for `θ4` and `θ5`
    The next event with `ATT = CONST` must satisfy the step's condition: `a ->{ATT = CONST} b`. The
    time is a clause, `WITHIN t`. That is the same: the events between two steps that the gate asks
    about come in order, and once one is too late, all later ones are.
NonDeterministic, `σθ3 ∘ μID,θ5(σθ2 ∘ μID,θ4(σθ1(S1), S2), S3)` with the same `θ4` and `θ5`
    Between two steps any number of events with `ATT = CONST` is passed over, and `μ` with the
    identity remembers only the last one: any later event that satisfies the step's condition, each
    a match of its own, as in `a ; b ; c` with `WITHIN t`. The steps' conditions hold `ATT = CONST`
    anyway.
NonDeterministicAgg
    The sums of the continuous attributes over all n events are emitted, those passed over too, so
    that the iteration is written out as in the paper: `a -> m:[ATT = CONST]+ BY -> @ (θ2)`, where
    the condition of the step speaks of the last event of `m`. One more event with `ATT = CONST` is
    the rebind edge, and the forward edge where the condition holds.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from tocsin.bench.cayuga.parameters import CONTINUOUS, DISCRETE, SECONDS, STEPS


class Template(enum.StrEnum):
    """The templates, in the paper's order."""

    LINEAR_STAT = "LinearStat"
    LINEAR_DYN = "LinearDyn"
    FILTER = "Filter"
    NON_DETERMINISTIC = "NonDeterministic"
    NON_DETERMINISTIC_AGG = "NonDeterministicAgg"


HEAD: Final = (
    "STREAM quotes (ts TIMESTAMP, "
    + ", ".join(f"{name} INTEGER" for name in DISCRETE)
    + ", "
    + ", ".join(f"{name} FLOAT" for name in CONTINUOUS)
    + ") TIME ts;\n"
)
_ALIASES: Final = "abc"
_RISE: Final = "1.01"


@dataclass(frozen=True, slots=True)
class Shape:
    """Which attributes a subscription speaks of.

    Attributes
    ----------
    primary
        The discrete attribute that has one value in all steps.
    second
        The other discrete attribute, step by step.
    continuous
        The two attributes with ranges, step by step.
    """

    primary: str
    second: tuple[str, ...]
    continuous: tuple[tuple[str, ...], ...]


def template_text(template: Template, shape: Shape) -> str:
    """Return a template with the parameters `id`, `primary` and, for each step, four more.

    Examples
    --------
    >>> shape = Shape("d1", ("d2",) * 3, (("c1", "c2"),) * 3)
    >>> print(template_text(Template.FILTER, shape))
    SUBSCRIBE filter_{id} FROM quotes
    MATCH a:[d1 = {primary} AND d2 = {second1} AND c1 BETWEEN {low_x1} AND {high_x1}
    AND c2 BETWEEN {low_y1} AND {high_y1}] ->{d1 = {primary}}
    b:[d1 = {primary} AND d2 = {second2} AND c1 BETWEEN {low_x2} AND {high_x2}
    AND c2 BETWEEN {low_y2} AND {high_y2}] ->{d1 = {primary}}
    c:[d1 = {primary} AND d2 = {second3} AND c1 BETWEEN {low_x3} AND {high_x3}
    AND c2 BETWEEN {low_y3} AND {high_y3}]
    WITHIN 19 s
    """
    dynamic = template is Template.LINEAR_DYN
    atoms = [_atom(shape, step, dynamic=dynamic and step > 0) for step in range(STEPS)]
    gate = f"->{{{shape.primary} = {{primary}}}}"
    name = f"SUBSCRIBE {template.value.lower()}_{{id}} FROM quotes\nMATCH "
    if template in (Template.LINEAR_STAT, Template.LINEAR_DYN):
        return name + " ,\n".join(atoms)
    if template is Template.FILTER:
        return name + f" {gate}\n".join(atoms) + f"\nWITHIN {SECONDS} s"
    if template is Template.NON_DETERMINISTIC:
        return name + " ;\n".join(atoms) + f"\nWITHIN {SECONDS} s"
    passed = [_passed(shape, step, alias) for step, alias in ((1, "m"), (2, "n"))]
    pattern = " ->\n".join([atoms[0], *passed]) + f"\nWITHIN {SECONDS} s"
    sums = [f"a.{x} + sum(m.{x}) + sum(n.{x}) AS sum_{x}" for x in CONTINUOUS]
    return name + pattern + "\nEMIT " + ",\n".join(sums)


def _atom(shape: Shape, step: int, *, dynamic: bool) -> str:
    x, _ = shape.continuous[step]
    later = f" AND {x} >= {_RISE} * a.{x}" if dynamic else ""
    condition = _condition(shape, step, "{}")
    return f"{_ALIASES[step]}:[{shape.primary} = {{primary}} AND {condition}{later}]"


def _passed(shape: Shape, step: int, alias: str) -> str:
    """Return an iteration over the primary value whose last event satisfies a step's condition."""
    condition = _condition(shape, step, f"last({alias}.{{}})")
    return f"{alias}:[{shape.primary} = {{primary}}]+ BY -> @ ({condition})"


def _condition(shape: Shape, step: int, form: str) -> str:
    """Return a step's condition; the form says how an attribute is written."""
    second, x, y = map(form.format, (shape.second[step], *shape.continuous[step]))
    number = step + 1
    return (
        f"{second} = {{second{number}}} AND {x} BETWEEN {{low_x{number}}} AND {{high_x{number}}}\n"
        f"AND {y} BETWEEN {{low_y{number}}} AND {{high_y{number}}}"
    )
