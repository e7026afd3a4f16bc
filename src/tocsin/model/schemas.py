"""Schemas that grow while events flow."""

from __future__ import annotations

from tocsin.errors import ConfigurationError
from tocsin.model.event import Schema


def grown_schema(stream: str, known: Schema | None, added: Schema) -> Schema:
    """Return what is declared of a stream after one more declaration.

    Raises
    ------
    ConfigurationError
        An attribute is declared with another type, or the stream with another TIME.

    Examples
    --------
    >>> from tocsin.model.values import Kind
    >>> grown_schema("s", Schema({"a": Kind.FLOAT}), Schema({"b": Kind.STRING})).kinds.keys()
    dict_keys(['a', 'b'])
    """
    if known is None or known == added:
        return added
    clash = [name for name, kind in added.kinds.items() if known.kinds.get(name, kind) != kind]
    if clash or known.time != added.time:
        what = f"type of {', '.join(clash)}" if clash else "TIME"
        msg = f"stream '{stream}' is declared again with another {what}; use one declaration"
        raise ConfigurationError(msg)
    return Schema({**known.kinds, **added.kinds}, known.time)
