"""How the tests of the papers read notifications and write streams."""

from collections.abc import Iterable
from typing import Any


def roles(notification: Any) -> dict[str, Any]:
    """Return alias to row, or to rows where an alias took several; unbound aliases are left out."""
    return {
        alias: rows[0] if len(rows) == 1 else rows
        for alias, rows in notification.events.items()
        if rows
    }


def all_roles(notifications: Iterable[Any], name: str | None = None) -> list[dict[str, Any]]:
    """Return the roles of each notification, of one subscription where a name is given."""
    return [roles(n) for n in notifications if name in {None, n.subscription}]


def places(notification: Any) -> tuple[int, ...]:
    """Return the rows of a match, in their order."""
    return tuple(sorted(row for rows in notification.events.values() for row in rows))


def all_places(notifications: Iterable[Any], name: str | None = None) -> list[tuple[int, ...]]:
    """Return the rows of each match, of one subscription where a name is given."""
    return [places(n) for n in notifications if name in {None, n.subscription}]


def each_second(words: str, key: str = "k") -> list[dict[str, Any]]:
    """Return one event a second: "a b@5 c" has k = 'a' at 0 s, 'b' at 5 s and 'c' at 6 s."""
    made: list[dict[str, Any]] = []
    second = -1
    for word in words.split():
        kind, _, moment = word.partition("@")
        second = int(moment) if moment else second + 1
        made.append({"ts": second * 1000, key: kind})
    return made


def kinds(names: str, key: str = "k") -> str:
    """Return a DEFINE for each name: the events whose key is that name."""
    return "".join(f"DEFINE {name} AS {key} = '{name}';\n" for name in names.split())
