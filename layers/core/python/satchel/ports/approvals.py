"""Calls that wait for a person's word."""

from typing import Protocol

from satchel.domain.approvals import Approval, Decision


class Approvals(Protocol):
    """One for a call at most."""

    def ask(self, approval: Approval) -> Approval:
        """Write that a call waits, and return what stands then: a decision that was made before is kept."""
        ...

    def get(self, turn_id: str, call_id: str) -> Approval | None:
        """Return what was asked and said; None for a call that nobody was asked about."""
        ...

    def decide(self, turn_id: str, call_id: str, decision: Decision) -> Approval | None:
        """Write the decision and return what stands then: the first one. None where nobody was asked."""
        ...
