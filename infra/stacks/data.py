"""What outlives the code: files, records, the key that signs capabilities, the people."""

import json
from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.constructs import stores
from infra.settings import Settings


@dataclass(frozen=True)
class SignIn:
    """Whose tokens are accepted, and for which clients."""

    issuer: str
    audience: list[str]


class DataStack(Stack):
    """Retained by default: deleting the stack deletes no file and no account."""

    def __init__(self, scope: Construct, id_: str, *, settings: Settings) -> None:
        super().__init__(scope, id_, description="Satchel: files, records, keys and people")
        self._keep = RemovalPolicy(settings.removal_policy.upper())
        self.bucket = stores.bucket(self, "Files", removal_policy=self._keep)
        self.table = stores.table(self, "Records", removal_policy=self._keep)
        self.capability_secret = self._secret()
        self.sign_in = self._given(settings) or self._own_pool()

    def _secret(self) -> secretsmanager.Secret:
        return secretsmanager.Secret(
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

    @staticmethod
    def _given(settings: Settings) -> SignIn | None:
        if settings.jwt_issuer is None:
            return None
        return SignIn(issuer=settings.jwt_issuer, audience=settings.jwt_audience)

    def _own_pool(self) -> SignIn:
        """Nobody signs up by himself: an administrator creates the people."""
        pool = cognito.UserPool(
            self,
            "People",
            sign_in_aliases=cognito.SignInAliases(email=True),
            self_sign_up_enabled=False,
            auto_verify=cognito.AutoVerifiedAttrs(email=True),
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            removal_policy=self._keep,
        )
        client = pool.add_client("Client", auth_flows=cognito.AuthFlow(user_srp=True), disable_o_auth=True)
        return SignIn(issuer=pool.user_pool_provider_url, audience=[client.user_pool_client_id])
