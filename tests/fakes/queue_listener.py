"""A listener for an invocation that waits for an environment."""


class FakeQueueListener:
    """Implements ``QueueListener``: counts the keep-alive calls and records the reasons of timeouts."""

    def __init__(self, *, is_cancelled: bool = False) -> None:
        self.is_cancelled = is_cancelled
        self.calls = 0
        self.reasons: list[str] = []

    def keep_alive(self) -> bool:
        self.calls += 1
        return not self.is_cancelled

    def on_timeout(self, reason: str) -> None:
        self.reasons.append(reason)
