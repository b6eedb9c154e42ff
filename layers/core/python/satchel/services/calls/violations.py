"""Collect the file accesses that the sandbox blocked during a call, and changed files outside of the workspace."""

import logging
from dataclasses import dataclass, field
from typing import Any, Literal

from satchel.contract.errors import InvalidPath
from satchel.domain.object_keys import tool_directory
from satchel.domain.size_limits import truncate
from satchel.ports.runners import CallOrder
from satchel.ports.tool_client import BlockedAccess

logger = logging.getLogger(__name__)

Policy = Literal["note", "fail"]

_MAX_REPORTED = 10
_MAX_PATH_CHARS = 300


@dataclass
class Violations:
    """The isolation violations of one call. ``policy`` decides if a blocked access adds a note or fails the call."""

    order: CallOrder
    policy: Policy = "note"
    blocked: list[BlockedAccess] = field(default_factory=list)
    changed_paths: list[str] = field(default_factory=list)

    def add_blocked_access(self, access: BlockedAccess) -> None:
        """Log and remember a blocked access. If the call fails, its error names the last blocked path."""
        fields = {"call_id": self.order.call_id, "attempted_path": access.path, "operation": access.operation}
        logger.warning("a file operation was blocked", extra=fields)
        self.blocked.append(access.model_copy(update={"path": truncate(access.path, _MAX_PATH_CHARS)}))

    def add_outside_change(self, path: str) -> None:
        """Log and remember a change outside the workspace. The call does not fail: another program may be the cause."""
        fields = {"call_id": self.order.call_id, "changed_path": path, "blocked": False}
        logger.warning("a file outside of the workspace changed during the call", extra=fields)
        self.changed_paths.append(truncate(path, _MAX_PATH_CHARS))

    def check(self, *, failed: bool) -> None:
        """Raise ``InvalidPath`` if an access was blocked and either the call ``failed`` or the policy is ``fail``."""
        if self.blocked and (failed or self.policy == "fail"):
            last = self.blocked[-1]
            raise InvalidPath(last.path, self._prefix, last.operation)

    def meta_data(self) -> dict[str, Any]:
        """Return the meta data that reports the violations in a successful result; empty if there are none."""
        blocked = [
            {"attempted_path": access.path, "allowed_prefix": self._prefix, "operation": access.operation}
            for access in self.blocked
        ]
        changed = [
            {"changed_path": path, "allowed_prefix": self._prefix, "blocked": False} for path in self.changed_paths
        ]
        reported = [*blocked, *changed][:_MAX_REPORTED]
        return {"security_violations": reported} if reported else {}

    @property
    def _prefix(self) -> str | None:
        """Return the directory in which the tool may write, or None if it may not write."""
        return tool_directory(self.order.user) if self.order.writes else None
