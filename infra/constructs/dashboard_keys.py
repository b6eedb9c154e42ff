"""The KMS keys that sign the tokens of dashboards."""

from collections.abc import Sequence

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_kms as kms
from constructs import Construct

_PENDING_WINDOW = Duration.days(7)  # KMS deletes a key only after this time, in which the deletion can be canceled


class DashboardKeys(Construct):
    """One asymmetric key for each number in the setting ``dashboard_keys``. The first signs, and all are published.

    The keys belong to the service stack: hosts look up unknown keys, so a new key needs no data of the old one.
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
        """Return the ids of the keys. The first key signs."""
        return [key.key_id for key in self._keys]

    @property
    def arns(self) -> list[str]:
        """Return the ARNs of the keys."""
        return [key.key_arn for key in self._keys]
