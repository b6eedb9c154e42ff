"""The function that runs the tools of one stdio server. What runs in it is not trusted."""

from collections.abc import Mapping

from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.function import PythonFunction
from infra.constructs.grants import END_TASK, KEEP_TASK, may
from infra.constructs.shelf import MCP_CONFIG, Shelf
from infra.limits import BEAT_SECONDS, RUNNER_DISK_MIB, RUNNER_SECONDS
from infra.servers import Server

_LONGEST_NAME = 64


class Runner(PythonFunction):
    """An environment serves one tenant (a person), and its role can do nothing but log and answer its task.

    What a call may store comes with the call, as credentials that reach no further than that call.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        prefix: str,
        server: Server,
        shelf: Shelf,
        environment: Mapping[str, str],
        machine_arn: str,
    ) -> None:
        """Raise ValueError when the function's name would be longer than Lambda allows."""
        function_name = f"{prefix}{name}"
        if len(function_name) > _LONGEST_NAME:
            raise ValueError(f"server {name!r}: its function's name has more than {_LONGEST_NAME} characters")
        super().__init__(
            scope,
            id_,
            folder="run_tool",
            target=shelf.target,
            layers=[*shelf.layers("runner"), shelf.servers],
            environment={
                **environment,
                "SATCHEL_SERVER": name,
                "SATCHEL_MCP_CONFIG": MCP_CONFIG,
                "SATCHEL_BEAT_SECONDS": str(BEAT_SECONDS),
            },
            memory_mb=server.memory_mb,
            seconds=RUNNER_SECONDS,
            function_name=function_name,
            tenancy_config=lambda_.TenancyConfig.PER_TENANT,
            disk_mib=RUNNER_DISK_MIB,
        )
        # A call that failed to start is not started again behind the machine's back; the heartbeat notices.
        self.configure_async_invoke(retry_attempts=0, max_event_age=Duration.minutes(1))
        may(self, *END_TASK, *KEEP_TASK, on=[machine_arn])
