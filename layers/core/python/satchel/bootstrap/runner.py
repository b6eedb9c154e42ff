"""The runner's own composition root: one warm server, and per call the ports that the call's credentials reach.

It is apart from ``use_cases`` because a runner is untrusted: it has neither the function's credentials nor its adapters.
"""

import os
import platform
from collections.abc import Mapping
from functools import lru_cache, partial
from threading import Lock
from uuid import uuid4

from aws_lambda_powertools.utilities.parameters import SecretsProvider

import satchel.adapters.mcp.import_stub  # noqa: F401  (for what it does, before anything imports the SDK)
from satchel.adapters import clients
from satchel.adapters.dynamodb.calls import DynamoClaims
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.mcp.pool import PoolLimits
from satchel.adapters.mcp.processes import become_subreaper
from satchel.adapters.s3_files import S3Files
from satchel.adapters.sandbox.limits import hide_this_process
from satchel.adapters.secret_values import SecretValues
from satchel.adapters.server_config import Values, filled, of_environment
from satchel.adapters.stepfunctions import WaitingTasks
from satchel.adapters.workspace_files import fetch_inputs, list_files, open_artifact
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.bootstrap.process import CLOCK, registry, required_isolation
from satchel.domain.servers import ServerEntry
from satchel.ports.runners import CallOrder
from satchel.services.calls.run_tool import CallPorts, RunTool
from satchel.settings import IsolationSettings, LimitSettings, RunnerSettings, ServerSettings, StorageSettings

_building = Lock()


@lru_cache
def loop() -> EventLoop:
    """Return the one event loop of this process."""
    return EventLoop()


def client(server: str) -> McpToolClient:
    """Return the client of one of this runner's servers. Raises KeyError for any other server.

    What the server leaves behind becomes a child of this process.
    """
    with _building:
        return _client(server)


def close() -> None:
    """End the servers with everything they started, then the loop."""
    for server in _own():
        client(server).close()
    loop().close()


def _own() -> Mapping[str, ServerEntry]:
    servers, own = registry().servers, RunnerSettings().server
    return {name: entry for name, entry in servers.items() if name == own or (own is None and entry.is_remote)}


@lru_cache
def _client(server: str) -> McpToolClient:
    become_subreaper()
    hide_this_process()
    settings = RunnerSettings()
    return McpToolClient(
        server,
        _own()[server],
        loop(),
        os.environ,
        fill=partial(_filled, server),
        isolation=required_isolation(),
        max_bytes=settings.max_result_bytes,
        limits=PoolLimits(max_servers=settings.max_servers),
    )


def _filled(server: str, entry: ServerEntry) -> ServerEntry:
    """Return the entry with its values, and with its packages on the path where they lie apart from the runner's."""
    full, packages = filled(ServerSettings().mcp_config, server, entry, _values()), RunnerSettings().server_packages
    return full if packages is None else full.model_copy(update={"env": {"PYTHONPATH": packages, **full.env}})


@lru_cache
def _values() -> Values:
    """Return where the variables of entries are looked up, each time anew."""
    prefix = RunnerSettings().secret_prefix
    if prefix is None:
        return of_environment(os.environ)
    return SecretValues(os.environ, prefix, SecretsProvider(boto3_client=clients.secrets()))


@lru_cache
def build(server: str) -> RunTool:
    """Return the use case, wired. Raises KeyError for a server that is not this runner's."""
    return RunTool(
        client=client(server),
        workspaces=LocalWorkspaces(),
        fetch=fetch_inputs,
        open_artifact=open_artifact,
        list_files=list_files,
        callback=WaitingTasks(clients.stepfunctions()),
        clock=CLOCK,
        new_claim=lambda: f"{platform.node()}-{os.getpid()}-{uuid4()}",
        heartbeat_seconds=RunnerSettings().beat_seconds,
        max_file_bytes=LimitSettings().max_file_size_bytes,
        violation_policy=IsolationSettings().violation_policy,
    )


def ports(order: CallOrder) -> CallPorts:
    """Return what this call's credentials reach."""
    where = StorageSettings()
    table = Table(clients.scoped_dynamodb(order.credentials), where.table)
    store = S3Files(clients.scoped_s3(order.credentials), where.bucket)
    return CallPorts(store=store, events=DynamoEvents(table, CLOCK), claims=DynamoClaims(table))
