"""The runners (functions that execute the untrusted tools of MCP servers), and the IAM role for tool calls."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.constructs.checks import acknowledge, acknowledge_wildcards
from infra.constructs.function import PythonFunction
from infra.constructs.grants import (
    ASSUME_ROLE,
    INVOKE_FUNCTION,
    MANAGE_NETWORK_INTERFACES,
    PUT_ITEMS,
    PUT_TAGGED_OBJECTS,
    READ_SECRET,
    SEND_TASK_FAILURE,
    SEND_TASK_HEARTBEAT,
    TOOL_FILE_KEYS,
    TURN_KEYS,
    allow,
    secret_arn,
    statement,
)
from infra.constructs.layers import MCP_CONFIG, FunctionLayers
from infra.limits import HEARTBEAT_INTERVAL_SECONDS, RUNNER_SECONDS
from infra.packing.layer_set import SERVER_PACKAGES
from infra.servers import Server, Servers
from infra.settings import Settings
from infra.vpc import Vpc

_MAX_NAME_LENGTH = 64


class Runner(PythonFunction):
    """A function that runs tools, with a separate environment for each user (tenant).

    Its role may only write its log, report to the waiting Step Functions task, and read the secrets that its servers
    need. To store output, a runner uses credentials from the call's event, which allow only the S3 keys of that call.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        function_name: str,
        servers: Sequence[Server],
        server_layers: Sequence[lambda_.ILayerVersion],
        function_layers: FunctionLayers,
        settings: Settings,
        environment: Mapping[str, str],
        machine_arn: str,
        vpc: Vpc | None,
    ) -> None:
        """Create the function. Raise ValueError if its name is longer than Lambda's limit of 64 characters."""
        if len(function_name) > _MAX_NAME_LENGTH:
            raise ValueError(f"the function name {function_name!r} has more than {_MAX_NAME_LENGTH} characters")
        variables = sorted({variable for server in servers for variable in server.variables})
        secrets = {"SATCHEL_SECRET_PREFIX": settings.secret_prefix} if variables else {}
        secret_arns = [secret_arn(scope, f"{settings.secret_prefix}{name}") for name in variables]
        super().__init__(
            scope,
            id_,
            folder="run_tool",
            function_layers=function_layers,
            settings=settings,
            more_layers=server_layers,
            environment={
                **environment,
                **secrets,
                "SATCHEL_BEAT_SECONDS": str(HEARTBEAT_INTERVAL_SECONDS),
            },
            memory_mb=max(server.memory_mb for server in servers),
            seconds=RUNNER_SECONDS,
            function_name=function_name,
            tenancy_config=lambda_.TenancyConfig.PER_TENANT,
            disk_mib=settings.runner_disk_mib,
        )
        # Never retry: the tool could run twice. If a call does not start, the heartbeat timeout ends the waiting task.
        self.configure_async_invoke(retry_attempts=0, max_event_age=Duration.minutes(1))
        acknowledge(
            self,
            Serverless_LambdaAsyncFailureDestination="an event contains a task token and a call's credentials, which "
            "no queue may store; the waiting task's heartbeat timeout ends the call with an error",
        )
        # No success: it would say that the call's result is recorded, which only Dispatch may say.
        allow(self, *SEND_TASK_FAILURE, *SEND_TASK_HEARTBEAT, on=[machine_arn])
        if secret_arns:
            allow(self, *READ_SECRET, on=secret_arns)
        if vpc is not None:
            self._connect(function_name, vpc)

    def _connect(self, function_name: str, vpc: Vpc) -> None:
        """Connect the function to a VPC.

        Lambda itself needs the permissions for network interfaces. The code of the function, which runs tools, has the
        same role, so these permissions are denied to the function's own requests.
        """
        function = cast("lambda_.CfnFunction", self.node.default_child)
        function.vpc_config = lambda_.CfnFunction.VpcConfigProperty(
            subnet_ids=vpc.subnets, security_group_ids=vpc.security_groups
        )
        own_arn = Stack.of(self).format_arn(
            service="lambda",
            resource="function",
            resource_name=function_name,
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        allow(self, *MANAGE_NETWORK_INTERFACES, on=["*"], because="these actions are not limited to a resource")
        self.add_to_role_policy(
            iam.PolicyStatement(
                effect=iam.Effect.DENY,
                actions=list(MANAGE_NETWORK_INTERFACES),
                resources=["*"],
                conditions={"ArnEquals": {"lambda:SourceFunctionArn": own_arn}},
            )
        )


class Runners(Construct):
    """All runners (functions that execute tools): one for each stdio server, and one for all remote servers."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        settings: Settings,
        servers: Servers,
        function_layers: FunctionLayers,
        environment: Mapping[str, str],
        machine_arn: str,
    ) -> None:
        super().__init__(scope, id_)
        config = {"SATCHEL_MCP_CONFIG": MCP_CONFIG}
        create = partial(Runner, function_layers=function_layers, settings=settings, machine_arn=machine_arn)
        self._functions = [
            create(
                self,
                name,
                function_name=f"{settings.runner_prefix}{name}",
                servers=[server],
                server_layers=function_layers.for_server(name, server),
                vpc=settings.runner_vpc if server.vpc is None else server.vpc or None,
                environment={
                    **environment,
                    **config,
                    "SATCHEL_SERVER": name,
                    "SATCHEL_SERVER_PACKAGES": SERVER_PACKAGES,
                },
            )
            for name, server in servers.stdio.items()
        ]
        self._remote: PythonFunction | None = None
        if remote := list(servers.remote.values()):
            # Use the parent scope: in this scope, names of stdio servers are construct ids and could equal this id.
            runner = create(
                scope,
                "RemoteRunner",
                function_name=settings.remote_runner,
                servers=remote,
                server_layers=function_layers.for_remote_servers(),
                vpc=settings.runner_vpc,
                environment={**environment, **config},
            )
            self._functions.append(runner)
            self._remote = runner
        self.caller_environment = {
            "SATCHEL_RUNNER_PREFIX": settings.runner_prefix,
            "SATCHEL_REMOTE_RUNNER": settings.remote_runner,
        }
        """Environment variables for the functions that invoke runners."""

    def grant_invoke(self, function: PythonFunction) -> None:
        """Allow a function to invoke every runner."""
        allow(function, *INVOKE_FUNCTION, on=[runner.function_arn for runner in self._functions])

    def grant_invoke_remote(self, function: PythonFunction) -> None:
        """Allow a function to invoke the runner of the remote servers, if there is one."""
        if self._remote is not None:
            allow(function, *INVOKE_FUNCTION, on=[self._remote.function_arn])


class CallRole(iam.Role):
    """The IAM role for tool calls. For each call, Dispatch assumes it with a policy limited to that call."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        dispatch: PythonFunction,
        bucket: s3.IBucket,
        table: dynamodb.ITable,
    ) -> None:
        super().__init__(scope, id_, assumed_by=iam.ArnPrincipal(dispatch.own_role.role_arn))
        objects = [bucket.arn_for_objects(pattern) for pattern in (*TOOL_FILE_KEYS, TURN_KEYS)]
        self.add_to_policy(statement(*PUT_TAGGED_OBJECTS, on=objects))
        acknowledge_wildcards(self, objects, "a session policy limits it to the keys of one call, or to none")
        self.add_to_policy(
            iam.PolicyStatement(
                actions=["dynamodb:GetItem", *PUT_ITEMS],
                resources=[table.table_arn],
                conditions={"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["RUN#*"]}},
            )
        )
        allow(dispatch, *ASSUME_ROLE, on=[self.role_arn])
