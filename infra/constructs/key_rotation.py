"""New keys for capabilities, again and again."""

from aws_cdk import aws_iam as iam
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.constructs.function import PythonFunction
from infra.constructs.grants import ROTATE_SECRET, may
from infra.constructs.shelf import Shelf
from infra.limits import KEY_DAYS, STEP_SECONDS
from infra.settings import Settings

_MEMORY_MB = 256


class KeyRotation(Construct):
    """Secrets Manager calls a function of ours; the first time at once, so that from then on a key is prepared."""

    def __init__(
        self, scope: Construct, id_: str, *, secret: secretsmanager.ISecret, shelf: Shelf, settings: Settings
    ) -> None:
        super().__init__(scope, id_)
        self.function = function = PythonFunction(
            self,
            "Rotate",
            folder="rotate",
            shelf=shelf,
            settings=settings,
            environment={},
            memory_mb=_MEMORY_MB,
            seconds=STEP_SECONDS,
        )
        may(function, *ROTATE_SECRET, on=[secret.secret_arn])
        function.add_permission(
            "SecretsManager",
            principal=iam.ServicePrincipal("secretsmanager.amazonaws.com"),
            source_arn=secret.secret_arn,
        )
        # Not Secret.add_rotation_schedule: it would let the function ask for random passwords on "*".
        schedule = secretsmanager.CfnRotationSchedule(
            self,
            "Schedule",
            secret_id=secret.secret_arn,
            rotation_lambda_arn=function.function_arn,
            rotation_rules=secretsmanager.CfnRotationSchedule.RotationRulesProperty(automatically_after_days=KEY_DAYS),
        )
        schedule.node.add_dependency(function)
