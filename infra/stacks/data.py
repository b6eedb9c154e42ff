"""The stack of the permanent resources: bucket, table, keys that sign download links, and user pool."""

import json

from aws_cdk import CfnOutput, RemovalPolicy, Stack
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.constructs import stores
from infra.constructs.checks import acknowledge
from infra.constructs.sign_in import create_issuer
from infra.settings import Settings


class DataStack(Stack):
    """The stack with all data. By default, AWS retains its resources, so deleting the stack deletes no file or user."""

    def __init__(self, scope: Construct, id_: str, *, settings: Settings) -> None:
        super().__init__(scope, id_, description="Satchel: files, records, keys and users")
        self._removal_policy = RemovalPolicy(settings.removal_policy.upper())
        self.bucket = stores.create_bucket(
            self, "Files", removal_policy=self._removal_policy, access_logs=settings.bucket_access_logs
        )
        self.table = stores.create_table(self, "Records", removal_policy=self._removal_policy)
        self.capability_secret = self._create_secret()
        self.issuer = create_issuer(self, "People", settings=settings, removal_policy=self._removal_policy)
        CfnOutput(self, "Issuer", value=self.issuer.url, description="The accepted issuer of tokens")

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
