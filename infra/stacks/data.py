"""What outlives the code: files, records, the key that signs capabilities, the people."""

import json

from aws_cdk import CfnOutput, RemovalPolicy, Stack
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.constructs import stores
from infra.constructs.checks import acknowledge
from infra.constructs.sign_in import issuer
from infra.settings import Settings


class DataStack(Stack):
    """Retained by default: deleting the stack deletes no file and no account."""

    def __init__(self, scope: Construct, id_: str, *, settings: Settings) -> None:
        super().__init__(scope, id_, description="Satchel: files, records, keys and people")
        self._keep = RemovalPolicy(settings.removal_policy.upper())
        self.bucket = stores.bucket(self, "Files", removal_policy=self._keep, logged=settings.bucket_access_logs)
        self.table = stores.table(self, "Records", removal_policy=self._keep)
        self.capability_secret = self._secret()
        self.issuer = issuer(self, "People", settings=settings, removal_policy=self._keep)
        CfnOutput(self, "Issuer", value=self.issuer.url, description="Whose tokens are accepted")

    def _secret(self) -> secretsmanager.Secret:
        secret = secretsmanager.Secret(
            self,
            "CapabilityKey",
            description="Signs the links by which one file may be fetched without being signed in",
            # {"newest": "k1", "k1": "…"}: every key but "newest" is a signing key by its id.
            generate_secret_string=secretsmanager.SecretStringGenerator(
                secret_string_template=json.dumps({"newest": "k1"}),
                generate_string_key="k1",
                password_length=64,
                exclude_punctuation=True,
            ),
            removal_policy=self._keep,
        )
        acknowledge(secret, AwsSolutions_SMG4="the service stack rotates it, with a function of its own (KeyRotation)")
        return secret
