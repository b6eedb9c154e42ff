"""What a tool was stopped from reaching in one call: logged, and told as the contract says (spec 3 §9.1, §12.2).

Beside it what changed outside during the call and was not stopped: logged and told as that, and never a failure.
"""

import logging
from dataclasses import dataclass, field
from typing import Any, Literal

from satchel.contract.errors import InvalidPath
from satchel.domain.object_keys import tool_directory
from satchel.domain.size_limits import cut
from satchel.ports.runners import CallOrder

logger = logging.getLogger(__name__)

Policy = Literal["note", "fail"]

_MAX_NOTED = 10
_MAX_PATH_CHARS = 300


@dataclass
class Refusals:
    """Of one call. ``policy``: whether a tool that went on after it was stopped is left its result."""

    order: CallOrder
    policy: Policy = "note"
    paths: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def hear(self, path: str) -> None:
        """Take note of an attempt; the last one is what a call fails for."""
        logger.warning("a file operation was blocked", extra={"call_id": self.order.call_id, "attempted_path": path})
        self.paths.append(cut(path, _MAX_PATH_CHARS))

    def see(self, path: str) -> None:
        """Take note of a change that nothing stopped. No call fails for it: another program may have made it."""
        said = {"call_id": self.order.call_id, "changed_path": path, "blocked": False}
        logger.warning("something outside changed during the call, and was not blocked", extra=said)
        self.changed.append(cut(path, _MAX_PATH_CHARS))

    def check(self, *, failed: bool) -> None:
        """Raise InvalidPath where the tool was stopped and failed, or where having tried is enough."""
        if self.paths and (failed or self.policy == "fail"):
            raise InvalidPath(attempted_path=self.paths[-1], allowed_prefix=self._prefix)

    def noted(self) -> dict[str, Any]:
        """Return what stands in ``meta_data`` of a result that came all the same."""
        tried = [{"attempted_path": path, "allowed_prefix": self._prefix} for path in self.paths]
        changed = [{"changed_path": path, "allowed_prefix": self._prefix, "blocked": False} for path in self.changed]
        noted = [*tried, *changed][:_MAX_NOTED]
        return {"security_violations": noted} if noted else {}

    @property
    def _prefix(self) -> str:
        return tool_directory(self.order.user)
