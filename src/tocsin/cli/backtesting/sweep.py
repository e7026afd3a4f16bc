"""The subscriptions of a back-test: those of a program, or a template once for each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tocsin.errors import ConfigurationError
from tocsin.language.supported import refuse_unsupported
from tocsin.language.template import fill, is_template, parameters_of
from tocsin.language.tree import Program, Subscription


@dataclass(frozen=True, slots=True)
class Trial:
    """A subscription as it is tried: what the program calls it, and its parameters."""

    subscription: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Trials:
    """A program in which every subscription is a trial, by its name."""

    program: Program
    trials: Mapping[str, Trial]


def trials_of(program: Program, table: Sequence[Mapping[str, object]] | None) -> Trials:
    """Return what is tried: every subscription, and every template with every row of a table.

    Raises
    ------
    ConfigurationError
        A row does not fit, or a template feeds a stream, so that its rows would mix.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> program = parse("SUBSCRIBE high MATCH [price > {limit}]")
    >>> list(trials_of(program, [{"limit": 10}, {"limit": 20}]).trials)
    ['high#1', 'high#2']
    """
    if table is None and parameters_of(program):
        shown = ", ".join(f"{{{name}}}" for name in parameters_of(program))
        msg = f"the subscriptions have parameters ({shown}); say --sweep FILE to fill them"
        raise ConfigurationError(msg)
    refuse_unsupported(program, with_table=table is not None)
    plain = [s for s in program.subscriptions if not is_template(s)]
    templates = [s for s in program.subscriptions if is_template(s)]
    if table is not None and not templates:
        msg = (
            "--sweep was given, but no subscription has a parameter to fill; leave --sweep out, or "
            "write one such as {limit} in place of a value"
        )
        raise ConfigurationError(msg)
    trials = {one.name: Trial(one.name, {}) for one in plain}
    filled: list[Subscription] = []
    for template in templates:
        _refuse_feeding(template)
        names = parameters_of(Program((template,)))
        for number, row in enumerate(table or (), start=1):
            (made,) = fill(Program((template,), program.source), [row], first_row=number)
            name = f"{template.name}#{number}"
            filled.append(replace(made, name=name))
            trials[name] = Trial(template.name, {key: row[key] for key in names})
    others = [s for s in program.statements if not isinstance(s, Subscription)]
    whole = Program((*others, *plain, *filled), program.source)
    return Trials(whole, trials)


def _refuse_feeding(template: Subscription) -> None:
    if template.into is not None:
        msg = (
            f"subscription '{template.name}' feeds the stream '{template.into}', where the rows of "
            f"a sweep would mix; leave INTO out"
        )
        raise ConfigurationError(msg)
