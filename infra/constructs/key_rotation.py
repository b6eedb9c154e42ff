"""Monthly rotation of the keys that sign download links."""

from aws_cdk import aws_iam as iam
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.constructs.function import PythonFunction
from infra.constructs.grants import ROTATE_SECRET, allow
from infra.constructs.layers import FunctionLayers
from infra.limits import KEY_ROTATION_DAYS, STEP_SECONDS
from infra.settings import Settings


class KeyRotation(Construct):
    """The function that rotates the link signing keys monthly. The first rotation runs when the schedule is created."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        secret: secretsmanager.ISecret,
        function_layers: FunctionLayers,
        settings: Settings,
    ) -> None:
        super().__init__(scope, id_)
        self.function = function = PythonFunction(
            self,
            "Rotate",
            folder="rotate",
            function_layers=function_layers,
            settings=settings,
            environment={},
            seconds=STEP_SECONDS,
        )
        allow(function, *ROTATE_SECRET, on=[secret.secret_arn])
        function.add_permission(
            "SecretsManager",
            principal=iam.ServicePrincipal("secretsmanager.amazonaws.com"),
            source_arn=secret.secret_arn,
        )
        # Use the CloudFormation resource: Secret.add_rotation_schedule would also allow GetRandomPassword on "*".
        schedule = secretsmanager.CfnRotationSchedule(
            self,
            "Schedule",
            secret_id=secret.secret_arn,
            rotation_lambda_arn=function.function_arn,
            rotation_rules=secretsmanager.CfnRotationSchedule.RotationRulesProperty(
                automatically_after_days=KEY_ROTATION_DAYS
            ),
        )
        schedule.node.add_dependency(function)
