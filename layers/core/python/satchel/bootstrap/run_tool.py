"""What a runner is made of: one server, kept warm, and per call what its credentials reach."""

import os
import platform
from functools import lru_cache
from threading import Lock
from uuid import uuid4

from satchel.adapters import clients
from satchel.adapters.dynamodb.calls import DynamoClaims
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.inputs import fetch
from satchel.adapters.listing import list_files
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.mcp.loop import EventLoop
from satchel.adapters.mcp.processes import become_subreaper
from satchel.adapters.s3_files import S3Files
from satchel.adapters.safe_open import open_artifact
from satchel.adapters.stepfunctions import WaitingTasks
from satchel.adapters.user_area import LocalUserArea
from satchel.bootstrap.servers import registry
from satchel.bootstrap.storage import CLOCK
from satchel.ports.runners import CallOrder
from satchel.services.run_tool import CallPorts, RunTool
from satchel.settings import LimitSettings, RunnerSettings, StorageSettings

_building = Lock()


@lru_cache
def loop() -> EventLoop:
    """Return the one event loop of this process."""
    return EventLoop()


@lru_cache
def client() -> McpToolClient:
    """Return the client of this runner's server; what the server leaves behind becomes a child of this process."""
    become_subreaper()
    settings = RunnerSettings()
    entry = registry().servers[settings.server]
    return McpToolClient(settings.server, entry, loop(), os.environ, most_bytes=settings.max_result_bytes)


def close() -> None:
    """End the servers with everything they started, then the loop."""
    client().close()
    loop().close()


def build() -> RunTool:
    """Return the use case, wired; calls that come side by side share one."""
    with _building:
        return _build()


@lru_cache
def _build() -> RunTool:
    return RunTool(
        client=client(),
        area=LocalUserArea(),
        fetch=fetch,
        open_artifact=open_artifact,
        list_files=list_files,
        callback=WaitingTasks(clients.stepfunctions()),
        clock=CLOCK,
        new_claim=lambda: f"{platform.node()}-{os.getpid()}-{uuid4()}",
        pulse_seconds=RunnerSettings().beat_seconds,
        most_file_bytes=LimitSettings().max_file_size_bytes,
    )


def ports(order: CallOrder) -> CallPorts:
    """Return what this call's credentials reach."""
    where = StorageSettings()
    table = Table(clients.scoped_dynamodb(order.credentials), where.table)
    store = S3Files(clients.scoped_s3(order.credentials), where.bucket)
    return CallPorts(store=store, events=DynamoEvents(table, CLOCK), claims=DynamoClaims(table))
