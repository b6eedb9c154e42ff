"""The KMS keys that sign the tokens for dashboards (web pages that tools show in frames)."""

from collections.abc import Sequence

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_kms as kms
from constructs import Construct

_PENDING_WINDOW = Duration.days(7)  # KMS deletes a key only after this time, in which the deletion can be canceled


class DashboardKeys(Construct):
    """One asymmetric KMS key for each number in the setting ``dashboard_keys``. Only the first key signs new tokens.

    The public keys of all these keys are published. If a dashboard's host receives a token with an unknown key id, the
    host looks up the published keys. The keys can therefore be recreated together with the service stack.
    """

    def __init__(self, scope: Construct, id_: str, *, numbers: Sequence[int]) -> None:
        super().__init__(scope, id_)
        self._keys = [
            kms.Key(
                self,
                f"Key{number}",
                description="Signs the tokens of dashboards",
                key_spec=kms.KeySpec.ECC_NIST_P256,
                key_usage=kms.KeyUsage.SIGN_VERIFY,
                pending_window=_PENDING_WINDOW,
                removal_policy=RemovalPolicy.DESTROY,
            )
            for number in numbers
        ]

    @property
    def key_ids(self) -> list[str]:
        """Return the KMS ids of the keys. The first key signs new tokens."""
        return [key.key_id for key in self._keys]

    @property
    def arns(self) -> list[str]:
        """Return the ARNs of the keys."""
        return [key.key_arn for key in self._keys]
