"""What is known of a server's tools, and how it went when it was asked last."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import BaseModel

from satchel.domain.conversation import ToolSpec

ASK_AGAIN = timedelta(minutes=5)
"""A server's program may have changed without its entry: after so long its list is asked for again."""

TRY_AGAIN = timedelta(seconds=30)
"""A server that did not start may do so now: a dependency was installed, another service came up."""


class KeptTools(BaseModel):
    """The tools that a server had when it answered last; None: it never did.

    ``failure`` says why it did not answer when it was asked last; its tools are then those of the time before.
    ``doubted``: it said since then that they have changed.
    """

    tools: list[ToolSpec] | None = None
    failure: str | None = None
    doubted: bool = False
    asked_at: datetime

    def failed(self, reason: str, now: datetime) -> "KeptTools":
        """Return what is known after it was asked in vain."""
        return KeptTools(tools=self.tools, failure=reason, asked_at=now)

    def is_due(self, now: datetime, ask_again: timedelta = ASK_AGAIN) -> bool:
        """Tell whether it is time to ask again; ``ask_again`` is how long a list is taken for good."""
        return now - self.asked_at >= (min(TRY_AGAIN, ask_again) if self.failure or self.doubted else ask_again)


def answered(tools: Sequence[ToolSpec], now: datetime) -> KeptTools:
    """Return what is known of a server that has just answered."""
    return KeptTools(tools=list(tools), asked_at=now)
