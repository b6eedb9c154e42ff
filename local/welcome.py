"""What ``satchel serve`` says when it is ready, the servers included that have no tools to offer."""

import textwrap
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from satchel.domain.isolation import Isolation

_MOST_REASON = 300  # characters


@dataclass(frozen=True)
class Welcome:
    """``listings`` are the tool lists that are being asked for, by server. After ``closing`` nothing is said."""

    url: str
    listings: Mapping[str, Future[Any]]
    logs: Path
    closing: threading.Event
    isolation: Isolation

    def say(self, seconds: float) -> None:
        """Print that it is ready after so many ``seconds``; of servers that fail later, say so when they do."""
        print(  # noqa: T201  (this is what the command says)
            f"ready on {self.url} after {seconds:.1f} s",
            "Everything here is in memory: sessions and files are gone when this stops (Ctrl-C).",
            f"What the tool servers print goes to {self.logs}",
            f"Tools are walled in at the level {self.isolation.level!r} ({self._layers()}); see satchel doctor.",
            "Try, in another terminal:",
            """  .venv/bin/satchel ask '/calculator.evaluate {"expression": "234*97"}'""",
            "",
            sep="\n",
            flush=True,
        )
        for server, listing in self.listings.items():
            listing.add_done_callback(partial(self._tell_failure, server))

    def _layers(self) -> str:
        return ", ".join(sorted(self.isolation.layers)) or "no layer of the kernel"

    def _tell_failure(self, server: str, listing: Future[Any]) -> None:
        if listing.cancelled() or self.closing.is_set():
            return
        error = listing.exception()
        if error is not None:
            reason = textwrap.shorten(str(error), _MOST_REASON, placeholder=" …")
            print(f"No tools of {server!r}: {reason}", flush=True)  # noqa: T201  (the same)
