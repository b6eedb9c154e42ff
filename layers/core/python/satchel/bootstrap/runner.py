"""Creates the objects that a runner (a Lambda function that runs tools) needs.

These objects are clients of the runner's MCP servers and, for each call, ports that use the call's credentials. This
module is separate from the use cases, because a runner is untrusted and must not get the adapters of other functions.
"""

import os
import platform
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from aws_lambda_powertools.utilities.parameters import SecretsProvider

import satchel.adapters.mcp.import_stub  # noqa: F401  (installs import stubs, so it must come before the MCP SDK)
from satchel.adapters import clients
from satchel.adapters.dynamodb.calls import DynamoClaims
from satchel.adapters.dynamodb.reports import DynamoReports
from satchel.adapters.dynamodb.runner_events import DynamoEventReporter
from satchel.adapters.dynamodb.server_sessions import DynamoServerSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.kept_state import KeptState
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.mcp.pool import PoolLimits
from satchel.adapters.mcp.processes import become_subreaper
from satchel.adapters.s3_files import S3Files
from satchel.adapters.sandbox.limits import hide_this_process, without_refused
from satchel.adapters.secret_variables import SecretVariables
from satchel.adapters.server_config import VariableSource, environment_variables, resolve_variables
from satchel.adapters.stepfunctions import WaitingTasks
from satchel.adapters.workspace_files import fetch_inputs, list_files, open_artifact
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.bootstrap.process import CLOCK, registry, required_isolation
from satchel.domain.ids import UserName
from satchel.domain.servers import ServerEntry
from satchel.ports.runners import CallOrder, Conversation
from satchel.ports.tool_client import ServerSession
from satchel.services.calls.read_offer import ReadOffer
from satchel.services.calls.run_tool import CallPorts, RunTool
from satchel.settings import (
    InputSettings,
    IsolationSettings,
    LimitSettings,
    RefreshSettings,
    RunnerSettings,
    ServerSettings,
    StorageSettings,
)

_client_lock = Lock()
_EVENTS_IN_RUN = 100_000


@lru_cache
def run_tool_use_case(server: str) -> RunTool:
    """Return the use case that runs tool calls on a server. Raise KeyError if this runner is not for that server."""
    return RunTool(
        client=tool_client(server),
        older_client=older_tool_client(server),
        workspaces=LocalWorkspaces(),
        fetch_inputs=fetch_inputs,
        open_artifact=open_artifact,
        list_files=list_files,
        find_problems=_find_problems,
        callback=WaitingTasks(clients.stepfunctions()),
        clock=CLOCK,
        new_claim=lambda: f"{platform.node()}-{os.getpid()}-{uuid4()}",
        heartbeat_seconds=RunnerSettings().beat_seconds,
        max_file_bytes=_max_file_bytes(server),
        input_seconds=InputSettings().input_in_call_seconds,
        violation_policy=IsolationSettings().violation_policy,
        open_state=_state_opener(server),
    )


def _state_opener(server: str) -> Callable[[UserName], Path] | None:
    """Return the function that opens the folder with a user's data, or None if the server or the machine has none."""
    settings = RunnerSettings()
    if settings.state_folder is None or not _own_servers()[server].keeps_state:
        return None
    return KeptState(settings.state_folder, server, settings.max_state_mb << 20).open


def read_offer_use_case(server: str) -> ReadOffer:
    """Return the use case that requests prompts and resources. Raise KeyError if this runner is not for that server."""
    return ReadOffer(client=tool_client(server), clock=CLOCK)


def _find_problems(schema: dict[str, Any], value: dict[str, Any]) -> list[str]:
    """Check a structured result. Import the library when a tool has an output schema: most have none."""
    from satchel.adapters.json_schema import JsonSchemaChecker  # noqa: PLC0415  (see above)

    return JsonSchemaChecker().find_problems(schema, value)


def call_ports(server: str, order: CallOrder) -> CallPorts:
    """Return the ports for one tool call. They use the call's own credentials, which write only this call's data."""
    storage = StorageSettings()
    table = Table(clients.scoped_dynamodb(order.credentials), storage.table)
    store = S3Files(clients.scoped_s3(order.credentials), storage.bucket)
    first_event = order.run * _EVENTS_IN_RUN + 1  # after those of the runs that ended with questions or a task
    is_remote = _own_servers()[server].is_remote
    sessions = DynamoServerSessions(table, Conversation(order.session_id, server)) if is_remote else None
    return CallPorts(
        store=store,
        reports=DynamoReports(table, store),
        events=DynamoEventReporter(table, count(first_event)),
        claims=DynamoClaims(table),
        sessions=sessions,
    )


def tool_client(server: str) -> McpToolClient:
    """Return the client of the MCP server. Raise KeyError if this runner is not for that server.

    This process becomes a subreaper: it adopts the server's orphaned processes, so that it can kill them.
    """
    with _client_lock:
        return _tool_client(server)


def older_tool_client(server: str) -> McpToolClient:
    """Return the client that speaks the older handshake, for tools that can ask the user only with it."""
    with _client_lock:
        return _older_tool_client(server)


def describe_server(server: str) -> dict[str, Any]:
    """Return the tools and offers of an MCP server as JSON, and this machine's isolation, which only a runner knows."""
    client = tool_client(server)
    isolation = client.isolation and client.isolation.model_dump(mode="json")
    tools, offers = client.list_all()
    return {
        "tools": [tool.model_dump(mode="json") for tool in tools],
        "offers": offers.model_dump(mode="json"),
        "isolation": isolation,
        "is_legacy": client.is_legacy,
    }


def end_session(server: str, session: dict[str, Any]) -> dict[str, Any]:
    """End an MCP session, and return the name of its server."""
    tool_client(server).end_session(ServerSession.model_validate(session))
    return {"server": server}


def cancel_task(server: str, task_id: str, session: dict[str, Any] | None) -> dict[str, Any]:
    """Cancel a task, in the MCP session (if given) that created it. Return the name of the server."""
    tool_client(server).cancel_task(task_id, ServerSession.model_validate(session) if session else None)
    return {"server": server}


def close_servers() -> None:
    """Stop this runner's servers with all their processes, and then the event loop."""
    for server in _own_servers():
        tool_client(server).close()
        older_tool_client(server).close()
    _event_loop().close()


@lru_cache
def _tool_client(server: str) -> McpToolClient:
    return _new_client(server, _own_servers()[server])


@lru_cache
def _older_tool_client(server: str) -> McpToolClient:
    return _new_client(server, _own_servers()[server].model_copy(update={"protocol": "2025-11-25"}))


def _new_client(server: str, entry: ServerEntry) -> McpToolClient:
    become_subreaper()
    without_refused(hide_this_process)
    settings = RunnerSettings()
    return McpToolClient(
        server,
        entry,
        _event_loop(),
        os.environ,
        fill=partial(_fill_entry, server),
        isolation=required_isolation(),
        max_bytes=settings.max_result_bytes,
        max_file_bytes=_max_file_bytes(server),
        limits=PoolLimits(max_servers=settings.max_servers),
        reloads=RefreshSettings().reload_servers,
    )


def _max_file_bytes(server: str) -> int:
    return _own_servers()[server].max_file_bytes(LimitSettings().max_file_size_bytes)


@lru_cache
def _event_loop() -> EventLoop:
    return EventLoop()


def _own_servers() -> Mapping[str, ServerEntry]:
    servers, own = registry().servers, RunnerSettings().server
    return {name: entry for name, entry in servers.items() if name == own or (own is None and entry.is_remote)}


def _fill_entry(server: str, entry: ServerEntry) -> ServerEntry:
    """Return a server's configuration entry with its variables replaced by their values.

    The entry's PYTHONPATH defaults to the setting ``server_packages``.
    """
    full = resolve_variables(ServerSettings().mcp_config, server, entry, _values())
    packages = RunnerSettings().server_packages
    return full if packages is None else full.model_copy(update={"env": {"PYTHONPATH": packages, **full.env}})


@lru_cache
def _values() -> VariableSource:
    """Return the source of values for server variables: Secrets Manager, or the environment without a secret prefix."""
    prefix = RunnerSettings().secret_prefix
    if prefix is None:
        return environment_variables(os.environ)
    return SecretVariables(os.environ, prefix, SecretsProvider(boto3_client=clients.secrets()))
