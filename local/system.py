"""The deployed system's parts, put up on this machine: table, bucket, secret, functions, state machine, runners.

What the parts are stands in ``infra/definitions`` and ``infra/workflows``; here is only where they run.
"""

import json
import os
import secrets
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Self

from infra import limits, sources
from local import settings
from local.aws import resources
from local.aws.cloud import LocalCloud
from local.aws.seams import status_changes
from local.corners import Corners
from local.run_folder import RunFolder
from local.runners.functions import RunnerFunction
from local.runners.pool import EnvironmentPool
from local.sockets import create_sockets
from local.startup import checked_servers
from local.tool_watch import ToolWatch
from local.turn_machine import create_turn_machine
from satchel.bootstrap.dispatch import refresh_tools

LISTING_TENANT = "_satchel"

_PRELOAD = "satchel.bootstrap.run_tool"

_MOST_LISTING = 4  # servers that are asked for their tools at the same time


class System:
    """A context manager: inside, everything runs; afterwards no process is left and nothing is kept.

    Raises CannotStartError when what the person has set cannot be used.
    """

    def __init__(self, port: int) -> None:
        self._settings = settings.of_functions(port)
        os.environ.update(self._settings)
        self._servers = checked_servers()
        self._corners = Corners()
        self._stack = ExitStack()
        self.left_corners: list[str] = []
        self.folder = RunFolder()

    def __enter__(self) -> Self:
        """Put everything up."""
        with ExitStack() as stack:
            stack.enter_context(self.folder)
            cloud = stack.enter_context(LocalCloud())
            stack.callback(self._clear_corners)  # after the runners are dead: a running tool holds its corner
            runners = [self._runner(server, cloud) for server in self._servers]
            self._watch = stack.enter_context(ToolWatch())  # around the runners: it may wait for one when they end
            pool = stack.enter_context(EnvironmentPool(runners, log_dir=self.folder.logs, preload=[_PRELOAD]))
            self._build(pool, cloud.endpoint_url)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_exception: object) -> None:
        """End everything."""
        status_changes.listen(None)
        self._stack.close()

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

    def _runner(self, server: str, cloud: LocalCloud) -> RunnerFunction:
        own = settings.of_runner(server, self._servers[server], self._settings)
        return RunnerFunction(
            name=f"{settings.RUNNER_PREFIX}{server}",
            target="functions.run_tool.handler:handler",
            settings={**own, **cloud.environ, "TMPDIR": str(self.folder.scratch)},
            timeout=limits.RUNNER_SECONDS,
        )

    def _build(self, pool: EnvironmentPool, endpoint: str) -> None:
        resources.create_table(self._settings["SATCHEL_TABLE"], sources.definition("table"))
        resources.create_bucket(self._settings["SATCHEL_BUCKET"], sources.definition("bucket"))
        resources.create_secret(self._settings["SATCHEL_CAPABILITY_SECRET"], _signing_keys())
        role = resources.create_role(f"{settings.NAME}-call")
        os.environ["SATCHEL_CALL_ROLE"] = role
        for server in self._servers:
            name = f"{settings.RUNNER_PREFIX}{server}"
            resources.create_function(name, self._noting(pool, name), role=role, timeout=limits.RUNNER_SECONDS)
        os.environ["SATCHEL_STATE_MACHINE"] = create_turn_machine(role)
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
