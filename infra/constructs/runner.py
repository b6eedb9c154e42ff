"""The functions that run the tools of servers. What runs in them is not trusted."""

from collections.abc import Mapping, Sequence
from functools import partial

from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.constructs.function import PythonFunction
from infra.constructs.grants import END_TASK, INVOKE, KEEP_TASK, READ_SECRET, may, secret_arn
from infra.constructs.shelf import MCP_CONFIG, Shelf
from infra.limits import BEAT_SECONDS, RUNNER_SECONDS
from infra.packing.catalogue import SERVER_PACKAGES
from infra.servers import Server, Servers
from infra.settings import Settings

_LONGEST_NAME = 64


class Runner(PythonFunction):
    """An environment serves one tenant (a person), and its role can do nothing but log and answer its task.

    What a call may store comes with the call, as credentials that reach no further than that call. Of secrets it can
    read those that the entries of its own ``servers`` name, by their names: their values stand in no template.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        function_name: str,
        servers: Sequence[Server],
        layers: Sequence[lambda_.ILayerVersion],
        shelf: Shelf,
        settings: Settings,
        environment: Mapping[str, str],
        machine_arn: str,
    ) -> None:
        """Raise ValueError when the function's name would be longer than Lambda allows."""
        if len(function_name) > _LONGEST_NAME:
            raise ValueError(f"the function's name {function_name!r} has more than {_LONGEST_NAME} characters")
        variables = sorted({variable for server in servers for variable in server.variables})
        secrets = {"SATCHEL_SECRET_PREFIX": settings.secret_prefix} if variables else {}
        secret_arns = [secret_arn(scope, f"{settings.secret_prefix}{name}") for name in variables]
        super().__init__(
            scope,
            id_,
            folder="run_tool",
            shelf=shelf,
            settings=settings,
            more_layers=layers,
            environment={
                **environment,
                **secrets,
                "SATCHEL_BEAT_SECONDS": str(BEAT_SECONDS),
            },
            memory_mb=max(server.memory_mb for server in servers),
            seconds=RUNNER_SECONDS,
            function_name=function_name,
            tenancy_config=lambda_.TenancyConfig.PER_TENANT,
            disk_mib=settings.runner_disk_mib,
        )
        # A call that failed to start is not started again behind the machine's back; the heartbeat notices.
        self.configure_async_invoke(retry_attempts=0, max_event_age=Duration.minutes(1))
        acknowledge(
            self,
            Serverless_LambdaAsyncFailureDestination="an event holds a task token and a call's credentials, which no "
            "queue shall keep: the heartbeat of the waiting task notices, and the call ends as an error",
        )
        may(self, *END_TASK, *KEEP_TASK, on=[machine_arn])
        if secret_arns:
            may(self, *READ_SECRET, on=secret_arns)


class Runners(Construct):
    """A function for each server that is a program, and one for all those that are somewhere else."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        settings: Settings,
        servers: Servers,
        shelf: Shelf,
        environment: Mapping[str, str],
        machine_arn: str,
    ) -> None:
        super().__init__(scope, id_)
        config = {"SATCHEL_MCP_CONFIG": MCP_CONFIG}
        make = partial(Runner, shelf=shelf, settings=settings, machine_arn=machine_arn)
        self._functions = [
            make(
                self,
                name,
                function_name=f"{settings.runner_prefix}{name}",
                servers=[server],
                layers=shelf.of_server(name, server),
                environment={
                    **environment,
                    **config,
                    "SATCHEL_SERVER": name,
                    "SATCHEL_SERVER_PACKAGES": SERVER_PACKAGES,
                },
            )
            for name, server in servers.stdio.items()
        ]
        if remote := list(servers.remote.values()):
            # Not below this construct, where a server may have any name.
            own = make(
                scope,
                "RemoteRunner",
                function_name=settings.remote_runner,
                servers=remote,
                layers=shelf.of_remote(),
                environment={**environment, **config},
            )
            self._functions.append(own)
        self.told = {
            "SATCHEL_RUNNER_PREFIX": settings.runner_prefix,
            "SATCHEL_REMOTE_RUNNER": settings.remote_runner,
        }
        """What those are told who ask runners for something."""

    def grant_invoke(self, function: PythonFunction) -> None:
        """Let a function call all runners."""
        may(function, *INVOKE, on=[runner.function_arn for runner in self._functions])
