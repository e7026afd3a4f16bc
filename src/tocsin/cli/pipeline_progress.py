"""How far a pipeline is, for whoever waits: a line that changes, or one every so often."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Self

from rich.console import Console
from rich.status import Status

from tocsin.cli.consoles import messages, say, visible

_EVERY_S: Final = 10
"""How long a file or a pipe gets no further line."""


class Following:
    """Shows sentences, and below them how far a run is; in a `with` statement.

    Parameters
    ----------
    console
        Where to; standard error without.
    clock
        Seconds that only grow.
    """

    def __init__(
        self, console: Console | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.console = messages() if console is None else console
        self.clock = clock
        self.last: float | None = None
        is_live = self.console.is_terminal and not self.console.is_dumb_terminal
        self.line = Status("", console=self.console) if is_live else None
        self.has_ended = False

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the line that changes; what Spark tells later does not bring it back."""
        self.has_ended = True
        if self.line is not None:
            self.line.stop()

    def tell(self, sentence: str) -> None:
        """Show a sentence that stays."""
        if self.line is None:
            say(sentence)
        else:
            self.console.print(visible(sentence), soft_wrap=True)

    def watch(self, standing: object) -> None:
        """Show how far it is."""
        if self.has_ended:
            return
        if self.line is not None:
            self.line.update(visible(str(standing)))
            self.line.start()
        elif self.last is None or self.clock() - self.last >= _EVERY_S:
            self.last = self.clock()
            say(str(standing))
