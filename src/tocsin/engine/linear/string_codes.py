"""The strings that partial matches hold."""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.kinds import STRING
from tocsin.engine.linear.arrays import (
    KEPT,
    KEY_KIND,
    LINKS,
    NONE,
    REGISTER_BITS,
    REGISTER_KIND,
    USED,
    WAITS_IN,
    Int64Array,
)
from tocsin.engine.linear.machine import LinearMachine


def string_codes_of(machine: LinearMachine) -> Int64Array:
    """Return the codes of the strings in events, keys and registers; some come several times."""
    used, links, kept = (int(machine.work.counters[place]) for place in (USED, LINKS, KEPT))
    cells, keys = machine.instances.cells[:used], machine.instances.key_bits[:used]
    registers = machine.links.registers[:links]
    kinds, bits = registers[:, :, REGISTER_KIND], registers[:, :, REGISTER_BITS]
    has_key = (cells[:, KEY_KIND] == STRING) & (cells[:, WAITS_IN] != NONE)
    events = machine.kept.bits[:kept][machine.kept.kind[:kept] == STRING]
    return np.concatenate([events, keys[has_key], bits[kinds == STRING]])
