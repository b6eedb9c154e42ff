"""Who attends to an invocation that waits in line for an environment."""


class Attendant:
    """Says whether the call is wanted, and remembers what it was refused with."""

    def __init__(self, *, wanted: bool = True) -> None:
        self.wanted = wanted
        self.asked = 0
        self.reasons: list[str] = []

    def still_wanted(self) -> bool:
        self.asked += 1
        return self.wanted

    def refused(self, reason: str) -> None:
        self.reasons.append(reason)
