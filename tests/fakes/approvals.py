"""Approvals in memory."""

from satchel.domain.calls import Approval, Decision
from satchel.domain.ids import CallId, TurnId


class FakeApprovals:
    """Implements ``ports.approvals.Approvals``."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Approval] = {}

    def ask(self, approval: Approval) -> Approval:
        place = approval.turn_id, approval.call_id
        known = self._kept.get(place)
        if known is None or known.decision is None:
            self._kept[place] = Approval.model_validate_json(approval.model_dump_json())
        return self._kept[place]

    def get(self, turn_id: TurnId, call_id: CallId) -> Approval | None:
        return self._kept.get((turn_id, call_id))

    def decide(self, turn_id: TurnId, call_id: CallId, decision: Decision) -> Approval | None:
        known = self._kept.get((turn_id, call_id))
        if known is not None and known.decision is None:
            self._kept[turn_id, call_id] = known.model_copy(update={"decision": decision})
        return self._kept.get((turn_id, call_id))
