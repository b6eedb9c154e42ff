"""Start the parts of the deployed system on this machine: table, bucket, keys, functions, state machine, runners.

``infra/definitions`` and ``infra/workflows`` define the parts. This module only decides where the parts run.
"""

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Self

from infra import limits, sources
from local.emulator import settings
from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.aws.moto_patches import execution_events
from local.emulator.data.folder import DataFolderError
from local.emulator.data.store import DataStore, open_store
from local.emulator.functions import (
    TURN_MACHINE,
    create_background_functions,
    create_turn_machine,
    create_websocket_functions,
)
from local.emulator.published_key import find_reader
from local.emulator.runners.fork_server import ForkServer
from local.emulator.runners.pool import EnvironmentPool
from local.emulator.scheduler import PeriodicJob, ToolListRefresher, start_sweep
from local.emulator.startup import load_servers
from local.emulator.tool_runners import create_pool, runner_functions, tracked_handler
from local.emulator.workspaces import RunFolder, Workspaces
from satchel.bootstrap import language_models
from satchel.bootstrap.functions import use_cases

_MAX_LISTING_THREADS = 4
_STATE = "state"
"""The folder with the data that servers keep for their users, below the data folder."""


class System:
    """A context manager that runs the whole system. On exit, it ends all processes.

    The data stay in ``data_folder``, or are deleted on exit if it is None. ``servers`` are the configured MCP servers.
    ``store_url`` is the base URL of presigned S3 URLs. Users reach the system at ``public_url``, by default at the
    loopback address. ``listings`` maps each server's name to the future of its tool list. After exit,
    ``remaining_workspaces`` lists the users whose workspace (working directory) could not be removed. ``fork_server``
    starts the runners' processes, if it has been started before. The constructor raises StartupError if the
    configuration or a setting is invalid. Entering raises DataFolderError if the data folder cannot be used.
    """

    def __init__(self, port: int, public_url: str | None = None, fork_server: ForkServer | None = None) -> None:
        self._fork_server = fork_server
        self._settings = settings.function_settings(port, public_url)
        os.environ.update(self._settings)
        self.servers = load_servers()
        self._stack = ExitStack()
        self.remaining_workspaces: list[str] = []
        self.store_url = ""
        self.run_folder = RunFolder()
        self.data_folder = settings.data_folder()
        self.listings: Mapping[str, Future[Any]] = {}
        self.store = DataStore(None)

    def __enter__(self) -> Self:
        """Start all parts of the system."""
        with ExitStack() as stack:
            stack.enter_context(self.run_folder)
            self._workspaces = Workspaces(self.run_folder.users)
            self._protect_data()
            self.store = stack.enter_context(open_store(self.data_folder))
            cloud = stack.enter_context(LocalCloud())
            self.store_url = cloud.endpoint_url
            # This callback runs after the runners have ended, because tools lock the workspaces.
            stack.callback(self._remove_workspaces)
            self._state = (self.data_folder or self.run_folder.scratch) / _STATE
            runners = runner_functions(self._settings, cloud.environ, self.run_folder.scratch, self._state)
            # Enter the refresher before the pool, so that it is left after the pool: its thread may wait for a runner.
            self._refresher = stack.enter_context(ToolListRefresher())
            pool = stack.enter_context(create_pool(runners, self.run_folder.logs, self._fork_server))
            os.environ["SATCHEL_SOCKET_ENDPOINT"] = cloud.endpoint_url
            role = self._create_resources(pool, [runner.name for runner in runners])
            # Before the parts that the servers do not need: they start on another processor meanwhile.
            self.listings = self._list_tools(stack)
            self._create_functions(role)
            stack.enter_context(PeriodicJob(start_sweep, limits.SWEEP_MINUTES * 60))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop all parts of the system."""
        execution_events.set_listener(None)
        self._stack.close()
        language_models.close()

    def _list_tools(self, stack: ExitStack) -> Mapping[str, Future[Any]]:
        """Start listing the tools of every MCP server, and return the future of each listing by server name."""
        use_cases().refresh_tools.mark_starting(list(self.servers))
        executor = ThreadPoolExecutor(_MAX_LISTING_THREADS, thread_name_prefix="list-tools")
        stack.callback(executor.shutdown, wait=False, cancel_futures=True)
        listings = {server: executor.submit(use_cases().refresh_tools, server) for server in self.servers}
        self._refresher.start(use_cases().refresh_tools, listings.values())
        stack.callback(self._refresher.stop)
        return listings

    def _create_resources(self, pool: EnvironmentPool, runners: Sequence[str]) -> str:
        """Create what a runner needs, and the names of the rest. Return the role of all functions."""
        table, bucket = self._settings["SATCHEL_TABLE"], self._settings["SATCHEL_BUCKET"]
        resources.create_table(table, sources.load_definition("table"))
        resources.create_bucket(bucket, sources.load_definition("bucket"))
        self.store.attach(table, bucket)
        secret = self._settings["SATCHEL_CAPABILITY_SECRET"]
        resources.create_secret(secret, self.store.secret("signing-keys", _signing_keys))
        os.environ["SATCHEL_DASHBOARD_KEYS"] = resources.create_dashboard_key()
        role = resources.create_role(f"{settings.NAME}-call")
        os.environ["SATCHEL_CALL_ROLE"] = role
        for name in runners:
            handler = tracked_handler(pool, name, self._workspaces)
            resources.create_function(name, handler, role=role, timeout=limits.RUNNER_SECONDS)
        os.environ["SATCHEL_STATE_MACHINE"] = resources.state_machine_arn(TURN_MACHINE)
        return role

    def _create_functions(self, role: str) -> None:
        create_turn_machine(role)
        create_background_functions(role, self._state)
        create_websocket_functions(role, table=self._settings["SATCHEL_TABLE"])

    def _protect_data(self) -> None:
        """Raise DataFolderError if a server's sandbox lets its tools read the data folder, with all users' data."""
        if self.data_folder and (server := find_reader(self.data_folder, self.servers)):
            raise DataFolderError(f"the tools of {server!r} could read the data folder {self.data_folder}")

    def _remove_workspaces(self) -> None:
        self.remaining_workspaces = self._workspaces.remove_all()


def _signing_keys() -> str:
    return json.dumps({"newest": "k1", "k1": secrets.token_urlsafe(48)})
