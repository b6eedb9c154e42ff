"""Invokes the Lambda functions that start turns, run tools, clean up ended sessions, or erase a user's data."""

import json
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError
from pydantic import ConfigDict, TypeAdapter, ValidationError

from satchel.domain.calls import runner_crash
from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.isolation import Isolation
from satchel.domain.resources import OfferAnswer, OfferRequest, Offers
from satchel.domain.tools import ToolListing
from satchel.ports.runners import CallOrder, RunnerAnswer
from satchel.ports.tool_client import ServerSession

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

logger = logging.getLogger(__name__)

LISTING_TENANT = "_satchel"  # Lambda tenant id of requests that list tools, which belong to no user
_TOOLS = TypeAdapter(list[ToolSpec], config=ConfigDict(defer_build=True))
_ISOLATION: TypeAdapter[Isolation | None] = TypeAdapter(Isolation | None, config=ConfigDict(defer_build=True))


@dataclass(frozen=True)
class LambdaRunners:
    """Invoke runners (Lambda functions). Each server has its own runner, but all ``remote`` servers share one runner.

    Lambda runs each tenant's (user's) calls in a separate execution environment. Implements ``ports.runners.Runners``.
    """

    client: "LambdaClient"
    waiting_client: "LambdaClient"
    listing_client: "LambdaClient"
    prefix: str
    remote: Collection[str]
    remote_runner: str

    def run(self, server: str, order: CallOrder) -> RunnerAnswer | None:
        """Send a tool call to the server's runner. Return its answer, or None if the runner completes the task.

        Raise ToolCrashed if the runner ends, and TimeoutError if its answer does not arrive in time. If the runner
        cannot be invoked now, leave the call in Lambda's queue, which waits for a free environment. A runner that has
        got the call after all ignores the second one.
        """
        try:
            response = self.waiting_client.invoke(
                FunctionName=self._function(server),
                InvocationType="RequestResponse",
                TenantId=order.user,
                Payload=self._payload(server, order),
            )
        except ReadTimeoutError as error:
            raise TimeoutError(f"no answer of the runner to {order.call_id}") from error
        except (ClientError, BotoCoreError):
            logger.warning("the call waits in the queue of its runner", extra={"call_id": order.call_id}, exc_info=True)
            self.client.invoke(
                FunctionName=self._function(server),
                InvocationType="Event",
                TenantId=order.user,
                Payload=self._payload(server, order.model_copy(update={"waits_until": None})),
            )
            return None
        payload = json.loads(response["Payload"].read())
        if "FunctionError" in response:
            raise runner_crash(str(payload.get("errorMessage", "unknown error")))
        # A runner executes third-party code, so its payload can be anything.
        answer = payload.get("answer") if isinstance(payload, dict) else None
        try:
            return RunnerAnswer.model_validate(answer) if answer else None
        except ValidationError:
            return RunnerAnswer()

    @staticmethod
    def _payload(server: str, order: CallOrder) -> bytes:
        return json.dumps({"server": server, **order.model_dump(mode="json")}).encode()

    def end_session(self, server: str, user: UserName, session: ServerSession) -> None:
        """Let the runner of a remote server end an MCP session. If that fails, the server ends it after its timeout."""
        self._request(server, user, {"action": "end", "session": session.model_dump(mode="json")})

    def cancel_task(self, server: str, user: UserName, task_id: str, session: ServerSession | None) -> None:
        """Let the runner of a remote server cancel a task. If that fails, the task works on, and its result is lost."""
        opened = session and session.model_dump(mode="json")
        self._request(server, user, {"action": "cancel", "task_id": task_id, "session": opened})

    def _request(self, server: str, user: UserName, payload: Mapping[str, object]) -> None:
        """Send a request to the server's runner without waiting for it. Log failures."""
        try:
            self.client.invoke(
                FunctionName=self._function(server),
                InvocationType="Event",
                TenantId=user,
                Payload=json.dumps({"server": server, **payload}).encode(),
            )
        except (ClientError, BotoCoreError):
            fields = {"server": server, "action": payload["action"]}
            logger.warning("the runner could not be invoked", extra=fields, exc_info=True)

    def list_tools(self, server: str) -> ToolListing:
        """Return a server's tools and isolation.

        Raise Unavailable if the server does not start, times out or returns an invalid list.
        """
        try:
            response = self.listing_client.invoke(
                FunctionName=self._function(server),
                InvocationType="RequestResponse",
                TenantId=LISTING_TENANT,
                Payload=json.dumps({"action": "list", "server": server}).encode(),
            )
        except ReadTimeoutError as error:
            raise Unavailable(f"The server '{server}' takes too long to start; try again.") from error
        payload = json.loads(response["Payload"].read())
        if "FunctionError" in response:
            raise Unavailable(f"The server '{server}' did not start: {payload.get('errorMessage', 'unknown error')}")
        try:
            tools = _TOOLS.validate_python(payload["tools"])
            offers = Offers.model_validate(payload.get("offers") or {})
            isolation = _ISOLATION.validate_python(payload.get("isolation"))
        except (KeyError, TypeError, ValidationError) as error:
            raise Unavailable(f"The server '{server}' returned an invalid list of tools.") from error
        # Set the server name here: a runner executes untrusted code, so it could return another server's name.
        return ToolListing(
            tools=[tool.model_copy(update={"server": server}) for tool in tools],
            offers=offers.with_server(server),
            isolation_level=isolation and isolation.level,
            is_legacy=payload.get("is_legacy") is True,
        )

    def read_offer(self, server: str, user: UserName, request: OfferRequest) -> OfferAnswer:
        """Return a prompt, a resource or values of an argument. The user's own execution environment requests it.

        Raise Unavailable if the server does not start, times out or returns an invalid answer.
        """
        payload = {"action": "offer", "server": server, "request": request.model_dump(mode="json")}
        return _read_answer(self.listing_client, self._function(server), server, payload, TenantId=user)

    def _function(self, server: str) -> str:
        return self.remote_runner if server in self.remote else f"{self.prefix}{server}"


@dataclass(frozen=True)
class LambdaOfferReader:
    """Let ``function``, which may invoke runners, request a prompt or a resource.

    Implements ``ports.runners.OfferReader``.
    """

    client: "LambdaClient"
    function: str

    def __call__(self, server: str, user: UserName, request: OfferRequest) -> OfferAnswer:
        payload = {"action": "offer", "server": server, "user": user, "request": request.model_dump(mode="json")}
        return _read_answer(self.client, self.function, server, payload)


def _read_answer(
    client: "LambdaClient", function: str, server: str, payload: Mapping[str, object], **tenant: str
) -> OfferAnswer:
    try:
        response = client.invoke(
            FunctionName=function,
            InvocationType="RequestResponse",
            Payload=json.dumps(payload).encode(),
            **tenant,  # type: ignore[arg-type]
        )
    except ReadTimeoutError as error:
        raise Unavailable(f"The server '{server}' takes too long to answer; try again.") from error
    body = json.loads(response["Payload"].read())
    if "FunctionError" in response:
        raise Unavailable(f"The server '{server}' did not answer: {body.get('errorMessage', 'unknown error')}")
    try:
        return OfferAnswer.model_validate(body)
    except ValidationError as error:
        raise Unavailable(f"The server '{server}' returned an invalid answer.") from error


@dataclass(frozen=True)
class LambdaTurnStarter:
    """Let the function Think run the first round of a turn. Implements ``ports.turns.TurnStarter``."""

    client: "LambdaClient"
    function: str

    def start(self, user: UserName, session_id: SessionId, turn_id: TurnId) -> None:
        event = {"user": user, "session_id": session_id, "turn_id": turn_id, "has_execution": False}
        self.client.invoke(FunctionName=self.function, InvocationType="Event", Payload=json.dumps(event).encode())


@dataclass(frozen=True)
class LambdaCleanupStarter:
    """Start the cleanup of an ended session. Implements ``ports.sessions.CleanupStarter``."""

    client: "LambdaClient"
    function: str

    def start(self, user: UserName, session_id: SessionId) -> None:
        _invoke(self.client, self.function, {"user": user, "session_id": session_id})


@dataclass(frozen=True)
class LambdaErasureStarter:
    """Start the erasure of a user's data. Implements ``ports.users.ErasureStarter``."""

    client: "LambdaClient"
    function: str

    def start(self, user: UserName) -> None:
        _invoke(self.client, self.function, {"user": user})


def _invoke(client: "LambdaClient", function: str, event: Mapping[str, str]) -> None:
    try:
        client.invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps(event).encode())
    except (ClientError, BotoCoreError):
        logger.warning(
            "the function could not be invoked; the sweep will do its work", extra=dict(event), exc_info=True
        )
