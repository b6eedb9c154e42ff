"""The stack of the permanent resources: bucket, table, keys that sign download links, and user pool."""

import json

from aws_cdk import CfnOutput, RemovalPolicy, Stack
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.constructs import stores
from infra.constructs.checks import acknowledge
from infra.constructs.emptied_buckets import EmptiedBuckets
from infra.constructs.layers import FunctionLayers
from infra.constructs.sign_in import create_user_pool
from infra.servers import Servers
from infra.settings import Settings

_REMOVAL_POLICIES = {
    # If the first deployment fails, the new resources are empty, so CloudFormation may delete them.
    "retain": RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    "destroy": RemovalPolicy.DESTROY,
}


class DataStack(Stack):
    """The stack with all data. By default, AWS retains its resources, so deleting the stack deletes no file or user.

    All resources exist and are exported in every deployment, even if settings select an existing table or an external
    issuer instead. CloudFormation refuses an update that removes an export while the service stack imports it, so
    otherwise these settings could not be changed later. Unused resources cost nothing.
    """

    def __init__(self, scope: Construct, id_: str, *, settings: Settings) -> None:
        super().__init__(
            scope,
            id_,
            description="Satchel: files, records, keys and users",
            termination_protection=settings.termination_protection,
        )
        self._removal_policy = _REMOVAL_POLICIES[settings.removal_policy]
        logs = stores.create_log_bucket(self, "FilesLog", self._removal_policy) if settings.bucket_access_logs else None
        self.bucket = stores.create_bucket(self, "Files", removal_policy=self._removal_policy, log_bucket=logs)
        self.table = stores.create_table(self, "Records", removal_policy=self._removal_policy)
        self.capability_secret = self._create_secret()
        self.user_pool = create_user_pool(self, "People", groups=settings.groups, removal_policy=self._removal_policy)
        if settings.removal_policy == "destroy":
            EmptiedBuckets(
                self,
                "EmptiedFiles",
                buckets=[self.bucket, logs] if logs else [self.bucket],
                function_layers=FunctionLayers(
                    self, "Layers", platform=settings.platform, servers=Servers(settings.servers)
                ),
                settings=settings,
            )
        self._export()

    def _create_secret(self) -> secretsmanager.Secret:
        secret = secretsmanager.Secret(
            self,
            "CapabilityKey",
            description="Keys that sign the links for downloads without sign-in",
            # The secret is {"newest": "k1", "k1": "…"}: each signing key by its id, and the id of the newest key.
            generate_secret_string=secretsmanager.SecretStringGenerator(
                secret_string_template=json.dumps({"newest": "k1"}),
                generate_string_key="k1",
                password_length=64,
                exclude_punctuation=True,
            ),
            removal_policy=self._removal_policy,
        )
        acknowledge(secret, AwsSolutions_SMG4="the service stack rotates it (KeyRotation)")
        return secret

    def _export(self) -> None:
        """Export all values that the service stack may import, and output the names that settings can refer to."""
        for value in (
            self.bucket.bucket_name,
            self.bucket.bucket_arn,
            self.table.table_name,
            self.table.table_arn,
            self.table.table_stream_arn,
            self.capability_secret.secret_arn,
            self.user_pool.user_pool_id,
        ):
            self.export_value(value)
        CfnOutput(self, "Bucket", value=self.bucket.bucket_name, description="Value for existing_bucket")
        CfnOutput(self, "TableStream", value=self.table.table_stream_arn or "", description="Value for existing_table")
        CfnOutput(self, "UserPool", value=self.user_pool.user_pool_id, description="Value for existing_user_pool")
