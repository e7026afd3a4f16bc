"""Which indexes an engine uses: all of them, unless somebody measures what each is worth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What can be left out to measure its effect; the answers are the same.

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
    """

    kernels: bool = True
    sharing: bool = True
    active_states: bool = True
    instance_index: bool = True
    edge_index: bool = True
