"""The construct of a Lambda function: code from ``functions/{folder}``, its own log group and its own role."""

from collections.abc import Mapping, Sequence

from aws_cdk import Duration, IgnoreMode, Size
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra import sources
from infra.constructs.checks import acknowledge
from infra.constructs.grants import WRITE_LOGS, statement
from infra.constructs.layers import FunctionLayers, architecture, runtime
from infra.constructs.monitoring import log_group
from infra.limits import MEMORY_MB
from infra.packing.contents import NOT_DEPLOYED
from infra.settings import Settings

LATENCY_SENSITIVE = frozenset({"api", "dispatch", "finish", "sockets", "think"})
"""Functions that users wait for. With the setting ``snap_start``, they start from a snapshot (SnapStart)."""


class PythonFunction(lambda_.Function):
    """A Lambda function that may only write to its own log, until the stack grants more with ``grants.allow``.

    With ``code``, the function is that code and its group of packages, in place of ``functions/{folder}``.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        folder: str,
        code: lambda_.Code | None = None,
        function_layers: FunctionLayers,
        settings: Settings,
        environment: Mapping[str, str],
        seconds: int,
        memory_mb: int | None = None,
        more_layers: Sequence[lambda_.ILayerVersion] = (),
        function_name: str | None = None,
        tenancy_config: lambda_.TenancyConfig | None = None,
        disk_mib: int | None = None,
    ) -> None:
        logs = log_group(scope, f"{id_}Log", days=settings.log_retention)
        # Create a new role, because CDK's default role may write to every log group in the account.
        role = iam.Role(scope, f"{id_}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        role.add_to_policy(statement(*WRITE_LOGS, on=[logs.log_group_arn]))
        own_layers = [function_layers.packages(folder)] if code else function_layers.for_function(folder)
        uses_snapstart = settings.snap_start and folder in LATENCY_SENSITIVE
        super().__init__(
            scope,
            id_,
            runtime=runtime(function_layers.platform),
            architecture=architecture(function_layers.platform),
            code=code or _folder_code(folder),
            handler="handler.handler",
            description=f"local/{folder}" if code else f"functions/{folder}",
            layers=[*own_layers, *more_layers],
            environment=environment,
            memory_size=memory_mb or MEMORY_MB[folder],
            timeout=Duration.seconds(seconds),
            log_group=logs,
            role=role,
            function_name=function_name,
            tenancy_config=tenancy_config,
            ephemeral_storage_size=None if disk_mib is None else Size.mebibytes(disk_mib),
            reserved_concurrent_executions=settings.reserved_concurrency.get(folder),
            snap_start=lambda_.SnapStartConf.ON_PUBLISHED_VERSIONS if uses_snapstart else None,
        )
        self.own_role = role
        self.invoke_target: lambda_.IFunction = self.add_alias("live") if uses_snapstart else self
        """The function to invoke. With SnapStart, this is the alias ``live``, because only versions have snapshots."""
        _acknowledge(self)


def _folder_code(folder: str) -> lambda_.Code:
    return lambda_.Code.from_asset(
        str(sources.FUNCTIONS / folder), exclude=list(NOT_DEPLOYED), ignore_mode=IgnoreMode.GIT
    )


def _acknowledge(function: PythonFunction) -> None:
    newest = "the function runs the Python that builds and tests it; the setting `python` selects another version"
    acknowledge(
        function,
        AwsSolutions_L1=newest,
        Serverless_LambdaLatestVersion=newest,
        Serverless_LambdaTracing="logs and metrics carry the turn's id; tracing adds 370 ms to a cold start",
        Serverless_LambdaDLQ="synchronous callers see the error; asynchronous ones have a failure destination, or the "
        "next run repeats the work",
    )
