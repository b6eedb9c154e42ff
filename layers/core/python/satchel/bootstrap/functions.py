"""Creates the use cases with the AWS adapters, for the handlers of all Lambda functions except the runners."""

from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.bucket_emptier import BucketEmptier
from satchel.adapters.signing_keys import SecretRotation
from satchel.bootstrap.aws_ports import AwsPorts
from satchel.settings import Settings
from satchel.use_cases import UseCases


@lru_cache
def use_cases() -> UseCases:
    """Return the use cases with the AWS adapters, which each process creates once."""
    settings = Settings()
    return UseCases(ports=AwsPorts(settings), settings=settings)


@lru_cache
def secret_rotation() -> SecretRotation:
    """Return the object that rotates the signing keys in Secrets Manager."""
    return SecretRotation(clients.secrets())


@lru_cache
def bucket_emptier() -> BucketEmptier:
    """Return the object that empties a bucket before CloudFormation deletes it."""
    return BucketEmptier(clients.s3())
