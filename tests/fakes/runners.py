"""Runners that only remember what they were sent, and credentials that say what they are for."""

from collections.abc import Mapping, Sequence

from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.ids import TurnId
from satchel.ports.runners import CallOrder, ScopedCredentials


class FakeRunners:
    """Implements ``ports.runners.Runners``. A server without tools is one that does not start."""

    def __init__(self, tools: Mapping[str, Sequence[ToolSpec]]) -> None:
        self.tools = dict(tools)
        self.orders: list[tuple[str, CallOrder]] = []
        self.asked: list[str] = []

    def start(self, server: str, order: CallOrder) -> None:
        self.orders.append((server, CallOrder.model_validate_json(order.model_dump_json())))

    def list_tools(self, server: str) -> Sequence[ToolSpec]:
        self.asked.append(server)
        if server not in self.tools:
            raise Unavailable(f"The server '{server}' did not start: no such program")
        return self.tools[server]


class FakeCredentials:
    """Implements ``ports.runners.CredentialSource``."""

    def for_call(self, turn_id: TurnId, objects_prefixes: Sequence[str], outcome_key: str) -> ScopedCredentials:
        return ScopedCredentials(
            access_key_id=turn_id, secret_access_key=" ".join(objects_prefixes), session_token=outcome_key
        )
