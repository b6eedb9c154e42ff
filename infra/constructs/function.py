"""A function of ``functions/{folder}``, with a log group and a role of its own."""

from collections.abc import Mapping, Sequence

from aws_cdk import Duration, IgnoreMode, Size
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra import sources
from infra.constructs.bundling import architecture, runtime
from infra.constructs.checks import acknowledge
from infra.constructs.grants import WRITE_LOGS, statement
from infra.constructs.log_group import log_group
from infra.constructs.shelf import Shelf
from infra.packing.contents import NOT_DEPLOYED
from infra.settings import Settings

SOMEBODY_WAITS = frozenset({"api", "approval", "dispatch", "finish", "normalize", "sockets", "think"})
"""Functions between a person's message and its answer: they start from a snapshot where ``snap_start`` is set."""


class PythonFunction(lambda_.Function):
    """May write its own log and nothing else; whoever composes it says what more (``grants.may``)."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        folder: str,
        shelf: Shelf,
        settings: Settings,
        environment: Mapping[str, str],
        memory_mb: int,
        seconds: int,
        more_layers: Sequence[lambda_.ILayerVersion] = (),
        function_name: str | None = None,
        tenancy_config: lambda_.TenancyConfig | None = None,
        disk_mib: int | None = None,
    ) -> None:
        logs = log_group(scope, f"{id_}Log", days=settings.log_retention)
        # Not CDK's default role: its managed policy writes to every log group of the account.
        role = iam.Role(scope, f"{id_}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        role.add_to_policy(statement(*WRITE_LOGS, on=[logs.log_group_arn]))
        snapped = settings.snap_start and folder in SOMEBODY_WAITS
        super().__init__(
            scope,
            id_,
            runtime=runtime(shelf.platform),
            architecture=architecture(shelf.platform),
            code=lambda_.Code.from_asset(
                str(sources.FUNCTIONS / folder), exclude=list(NOT_DEPLOYED), ignore_mode=IgnoreMode.GIT
            ),
            handler="handler.handler",
            description=f"functions/{folder}",
            layers=[*shelf.layers(folder), *more_layers],
            environment=environment,
            memory_size=memory_mb,
            timeout=Duration.seconds(seconds),
            log_group=logs,
            role=role,
            function_name=function_name,
            tenancy_config=tenancy_config,
            ephemeral_storage_size=None if disk_mib is None else Size.mebibytes(disk_mib),
            reserved_concurrent_executions=settings.reserved_concurrency.get(folder),
            snap_start=lambda_.SnapStartConf.ON_PUBLISHED_VERSIONS if snapped else None,
        )
        self.own_role = role
        self.entry: lambda_.IFunction = self.add_alias("live") if snapped else self
        """What those call who want the function started quickly: only published versions have a snapshot."""
        _acknowledge(self)


def _acknowledge(function: PythonFunction) -> None:
    newest = "the Python that builds and tests is the one that runs: the setting `python` names another"
    acknowledge(
        function,
        AwsSolutions_L1=newest,
        Serverless_LambdaLatestVersion=newest,
        Serverless_LambdaTracing="logs and metrics carry the turn's id; tracing costs 370 ms of a cold start",
        Serverless_LambdaDLQ="what is called and waited for tells its caller; what is not has a destination instead, "
        "or is done again by the next run",
    )
