"""Approvals: ``CALLS#{tid} / APPROVAL#{call_id}``, with ``doc`` and, once it is made, ``decision``.

They lie beside the calls, where no runner may write: a tool cannot approve itself.
"""

from contextlib import suppress
from dataclasses import dataclass

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.table import Table
from satchel.domain.approvals import Approval, Decision


def _key(turn_id: str, call_id: str) -> tuple[str, str]:
    return f"CALLS#{turn_id}", f"APPROVAL#{call_id}"


@dataclass(frozen=True)
class DynamoApprovals:
    """Implements ``ports.approvals.Approvals``."""

    table: Table

    def ask(self, approval: Approval) -> Approval:
        """Write that a call waits; asked again, the newer token counts, as it is the one that is waited for."""
        try:
            self.table.update(
                *_key(approval.turn_id, approval.call_id),
                expression="SET doc = :doc",
                condition="attribute_not_exists(decision)",
                values={"doc": approval.model_dump_json(exclude={"decision"})},
                names={},
            )
        except ConditionFailed:
            return self.get(approval.turn_id, approval.call_id) or approval
        return approval

    def get(self, turn_id: str, call_id: str) -> Approval | None:
        """Return what was asked and said."""
        item = self.table.get(*_key(turn_id, call_id))
        if item is None:
            return None
        said = Decision.model_validate_json(str(item["decision"])) if "decision" in item else None
        return Approval.model_validate_json(str(item["doc"])).model_copy(update={"decision": said})

    def decide(self, turn_id: str, call_id: str, decision: Decision) -> Approval | None:
        """Write the decision; the first one stands and is returned."""
        with suppress(ConditionFailed):  # nobody was asked, or it was decided before: what stands is read
            self.table.update(
                *_key(turn_id, call_id),
                expression="SET decision = :decision",
                condition="attribute_exists(doc) AND attribute_not_exists(decision)",
                values={"decision": decision.model_dump_json()},
                names={},
            )
        return self.get(turn_id, call_id)
