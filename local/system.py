"""The deployed system's parts, put up on this machine: table, bucket, secret, functions, state machine, runners.

What the parts are stands in ``infra/definitions`` and ``infra/workflows``; here is only where they run.
"""

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Self

from infra import limits, sources
from local import settings
from local.aws import resources
from local.aws.cloud import LocalCloud
from local.aws.seams import status_changes
from local.background import create_background
from local.calls_in_line import attend
from local.corners import Corners
from local.run_folder import RunFolder
from local.runners.functions import RunnerFunction
from local.runners.pool import EnvironmentPool
from local.sockets import create_sockets
from local.startup import checked_servers
from local.sweeping import Ticker, sweep
from local.tool_watch import ToolWatch
from local.turn_machine import create_turn_machine
from satchel.bootstrap import models
from satchel.bootstrap.refresh import build as refresh_tools
from satchel.bootstrap.servers import registry

LISTING_TENANT = "_satchel"

_PRELOAD = "local.run_tool_ready"

_MOST_LISTING = 4  # servers that are asked for their tools at the same time


class System:
    """A context manager: inside, everything runs; afterwards no process is left and nothing is kept.

    ``store_url`` is where presigned URLs lead. Raises CannotStartError when what the person has set cannot be used.
    """

    def __init__(self, port: int) -> None:
        self._settings = settings.of_functions(port)
        os.environ.update(self._settings)
        self._servers = checked_servers()
        self._corners = Corners()
        self._stack = ExitStack()
        self.left_corners: list[str] = []
        self.store_url = ""
        self.folder = RunFolder()

    def __enter__(self) -> Self:
        """Put everything up."""
        with ExitStack() as stack:
            stack.enter_context(self.folder)
            cloud = stack.enter_context(LocalCloud())
            self.store_url = cloud.endpoint_url
            stack.callback(self._clear_corners)  # after the runners are dead: a running tool holds its corner
            runners = self._runners(cloud)
            self._watch = stack.enter_context(ToolWatch())  # around the runners: it may wait for one when they end
            pool = stack.enter_context(self._pool(runners))
            self._build(pool, [runner.name for runner in runners], cloud.endpoint_url)
            stack.enter_context(Ticker(sweep, limits.SWEEP_MINUTES * 60))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_exception: object) -> None:
        """End everything."""
        status_changes.listen(None)
        self._stack.close()
        models.close()

    def list_tools(self) -> Mapping[str, Future[Any]]:
        """Begin to ask every server for its tools; return what will be done when each has answered, by server.

        The servers' start takes all processors for seconds: what else has to be done for the start comes before.
        """
        lister = ThreadPoolExecutor(_MOST_LISTING, thread_name_prefix="list-tools")
        self._stack.callback(lister.shutdown, wait=False, cancel_futures=True)
        listings = {server: lister.submit(refresh_tools(), server) for server in self._servers}
        self._watch.start(refresh_tools(), listings.values())
        self._stack.callback(self._watch.stop)
        return listings

    def _runners(self, cloud: LocalCloud) -> list[RunnerFunction]:
        """Return a function for each server that runs here, and one that all the others share."""
        known = registry()
        own = {
            f"{settings.RUNNER_PREFIX}{server}": settings.of_runner([entry], self._settings, server)
            for server, entry in known.servers.items()
            if not entry.is_remote
        }
        if known.remote:
            entries = [known.servers[server] for server in known.remote]
            own[settings.REMOTE_RUNNER] = settings.of_runner(entries, self._settings)
        scratch = {"TMPDIR": str(self.folder.scratch)}
        return [
            RunnerFunction(
                name=name,
                target="functions.run_tool.handler:handler",
                settings={**given, **cloud.environ, **scratch},
                timeout=limits.RUNNER_SECONDS,
            )
            for name, given in own.items()
        ]

    def _pool(self, runners: Sequence[RunnerFunction]) -> EnvironmentPool:
        machine = settings.MachineSettings()
        return EnvironmentPool(
            runners,
            log_dir=self.folder.logs,
            most=machine.max_environments,
            patience=machine.max_wait_seconds,
            attend=attend,
            preload=[_PRELOAD],
        )

    def _build(self, pool: EnvironmentPool, runners: Sequence[str], endpoint: str) -> None:
        resources.create_table(self._settings["SATCHEL_TABLE"], sources.definition("table"))
        resources.create_bucket(self._settings["SATCHEL_BUCKET"], sources.definition("bucket"))
        resources.create_secret(self._settings["SATCHEL_CAPABILITY_SECRET"], _signing_keys())
        role = resources.create_role(f"{settings.NAME}-call")
        os.environ["SATCHEL_CALL_ROLE"] = role
        for name in runners:
            resources.create_function(name, self._noting(pool, name), role=role, timeout=limits.RUNNER_SECONDS)
        os.environ["SATCHEL_STATE_MACHINE"] = create_turn_machine(role)
        create_background(role)
        create_sockets(role, table=self._settings["SATCHEL_TABLE"], endpoint=endpoint)

    def _noting(self, pool: EnvironmentPool, name: str) -> Any:  # noqa: ANN401  (a Lambda handler)
        """Return the runner's handler, noting whose corners under /tmp there will be to clear."""
        pass_on = pool.handler(name)

        def handle(event: object, context: Any) -> object:  # noqa: ANN401  (a Lambda context)
            if context.tenant_id not in {None, LISTING_TENANT}:
                self._corners.note(context.tenant_id)
            return pass_on(event, context)

        return handle

    def _clear_corners(self) -> None:
        self.left_corners = self._corners.clear()


def _signing_keys() -> str:
    return json.dumps({"newest": "k1", "k1": secrets.token_urlsafe(48)})
