"""A function of ``functions/{folder}``, with a log group and a role of its own."""

from collections.abc import Mapping, Sequence

from aws_cdk import Duration, IgnoreMode, RemovalPolicy, Size
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra import sources
from infra.constructs.bundling import Target
from infra.constructs.grants import WRITE_LOGS, statement
from infra.constructs.shelf import NOT_DEPLOYED


class PythonFunction(lambda_.Function):
    """May write its own log and nothing else; whoever composes it says what more (``grants.may``)."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        folder: str,
        target: Target,
        layers: Sequence[lambda_.ILayerVersion],
        environment: Mapping[str, str],
        memory_mb: int,
        seconds: int,
        function_name: str | None = None,
        tenancy_config: lambda_.TenancyConfig | None = None,
        disk_mib: int | None = None,
    ) -> None:
        log_group = logs.LogGroup(
            scope,
            f"{id_}Log",
            retention=logs.RetentionDays.ONE_MONTH,
            removal_policy=RemovalPolicy.DESTROY,
        )
        # Not CDK's default role: its managed policy writes to every log group of the account.
        role = iam.Role(scope, f"{id_}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        role.add_to_policy(statement(*WRITE_LOGS, on=[log_group.log_group_arn]))
        super().__init__(
            scope,
            id_,
            runtime=target.runtime,
            architecture=target.lambda_architecture,
            code=lambda_.Code.from_asset(
                str(sources.FUNCTIONS / folder), exclude=NOT_DEPLOYED, ignore_mode=IgnoreMode.GIT
            ),
            handler="handler.handler",
            layers=layers,
            environment=environment,
            memory_size=memory_mb,
            timeout=Duration.seconds(seconds),
            log_group=log_group,
            role=role,
            function_name=function_name,
            tenancy_config=tenancy_config,
            ephemeral_storage_size=None if disk_mib is None else Size.mebibytes(disk_mib),
        )
        self.own_role = role
