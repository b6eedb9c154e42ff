"""A listener for an invocation that no caller waits for."""


class FakeInvocationListener:
    """Implements ``InvocationListener``: counts the keep-alive calls and records the other calls."""

    def __init__(self, *, is_cancelled: bool = False) -> None:
        self.is_cancelled = is_cancelled
        self.calls = 0
        self.reasons: list[str] = []
        self.notices: list[str] = []
        self.failures: list[str] = []

    def keep_alive(self) -> bool:
        self.calls += 1
        return not self.is_cancelled

    def on_wait(self) -> None:
        self.notices.append("wait")

    def on_start(self) -> None:
        self.notices.append("start")

    def on_timeout(self, reason: str) -> None:
        self.reasons.append(reason)

    def on_failure(self, reason: str) -> None:
        self.failures.append(reason)
