"""Runners as Lambda functions, with an environment for each person (tenant isolation).

What is deleted in the background, by functions of their own: ended sessions, everything of a person.
"""

import json
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError
from pydantic import TypeAdapter, ValidationError

from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.ids import SessionId, UserName
from satchel.ports.runners import CallOrder

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

NOBODY = "_satchel"
_TOOLS = TypeAdapter(list[ToolSpec])


@dataclass(frozen=True)
class LambdaRunners:
    """Implements ``ports.runners.Runners``: a function for each server, and one that all ``remote`` servers share."""

    client: "LambdaClient"
    waiting: "LambdaClient"
    prefix: str
    remote: Collection[str]
    remote_runner: str

    def start(self, server: str, order: CallOrder) -> None:
        """Send a call to the runner of its server and return at once."""
        self.client.invoke(
            FunctionName=self._function(server),
            InvocationType="Event",
            TenantId=order.user,
            Payload=json.dumps({"server": server, **order.model_dump(mode="json")}).encode(),
        )

    def list_tools(self, server: str) -> Sequence[ToolSpec]:
        """Ask a server which tools it has, and wait."""
        try:
            answer = self.waiting.invoke(
                FunctionName=self._function(server),
                InvocationType="RequestResponse",
                TenantId=NOBODY,
                Payload=json.dumps({"action": "list", "server": server}).encode(),
            )
        except ReadTimeoutError as error:
            raise Unavailable(f"The server '{server}' takes too long to start; try again.") from error
        said = json.loads(answer["Payload"].read())
        if "FunctionError" in answer:
            raise Unavailable(f"The server '{server}' did not start: {said.get('errorMessage', 'no reason given')}")
        try:
            tools = _TOOLS.validate_python(said["tools"])
        except (KeyError, TypeError, ValidationError) as error:
            raise Unavailable(f"The server '{server}' sent no list of its tools.") from error
        # A runner runs foreign code: it speaks for its own server, whatever it says.
        return [tool.model_copy(update={"server": server}) for tool in tools]

    def _function(self, server: str) -> str:
        return self.remote_runner if server in self.remote else f"{self.prefix}{server}"


if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LambdaCleanupStarter:
    """Implements ``ports.sessions.CleanupStarter``."""

    client: "LambdaClient"
    function: str

    def start(self, user: UserName, session_id: SessionId) -> None:
        """Invoke the function and return at once; where it cannot be invoked now, the sweep clears the session."""
        _invoke(self.client, self.function, {"user": user, "session_id": session_id})


@dataclass(frozen=True)
class LambdaErasureStarter:
    """Implements ``ports.erasing.ErasureStarter``."""

    client: "LambdaClient"
    function: str

    def start(self, user: UserName) -> None:
        """Invoke the function and return at once; where it cannot be invoked now, the sweep sees to it."""
        _invoke(self.client, self.function, {"user": user})


def _invoke(client: "LambdaClient", function: str, event: Mapping[str, str]) -> None:
    try:
        client.invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps(event).encode())
    except (ClientError, BotoCoreError):
        logger.warning("left to the sweep", extra=dict(event), exc_info=True)
