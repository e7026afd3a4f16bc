"""Which indexes an engine uses: all of them, unless somebody measures what each is worth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What can be switched to measure its effect; the answers are the same.

    Attributes
    ----------
    kernels
        Run sequences of atoms in kernels; otherwise everything takes the general road.
    sharing
        Subscriptions with equal beginnings share states and instances.
    active_states
        Only states with live instances are looked at (Cayuga's AN index).
    instance_index
        Instances that wait for an equal value are found by its hash (Cayuga's AI index).
    edge_index
        Edges are found by the predicates that an event satisfies (Cayuga's FR index).
    single_step
        In kernels, a predicate that no partial match waits for is not evaluated. It is off, since
        to evaluate all of them ahead for a batch is faster with many cheap predicates; it pays
        where what follows in a pattern has arithmetic, which no index serves.
    by_key_from
        Where all that waits is found by one key, the events of a batch are processed key by key as
        soon as so many partial matches wait: more of them than the processor's fastest caches
        hold. Chains, of which each event must be the next of its key, are whatever waits, in
        batches of an eighth as many events or more.
    cells_at_once
        Tables are taken in parts of so many cells. Large parts are cheap, since much is done once
        for each; cells beyond the processor's caches are not. Chains want larger parts if there are
        very many keys: at each end something waits for most of them.
    """

    kernels: bool = True
    sharing: bool = True
    active_states: bool = True
    instance_index: bool = True
    edge_index: bool = True
    single_step: bool = False
    by_key_from: int = 2_048
    cells_at_once: int = 1 << 22
