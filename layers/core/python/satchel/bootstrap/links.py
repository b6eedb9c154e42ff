"""Capabilities: keys out of Secrets Manager, kept for a few minutes so that a changed key is noticed."""

from functools import lru_cache

from aws_lambda_powertools.utilities.parameters import SecretsProvider

from satchel.adapters import clients
from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.signing_keys import SigningKeys
from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.files.mint_links import MintLinks
from satchel.settings import LinkSettings

_KEYS_KEPT_SECONDS = 300


@lru_cache
def signer() -> JwtSigner:
    """Return the signer of this process."""
    provider = SecretsProvider(boto3_client=clients.secrets())
    secret = LinkSettings().capability_secret

    def load() -> SigningKeys:
        return SigningKeys.parse(str(provider.get(secret, max_age=_KEYS_KEPT_SECONDS)))

    return JwtSigner(load_keys=load, clock=CLOCK)


@lru_cache
def links() -> MintLinks:
    """Return what mints links."""
    return MintLinks(
        signer=signer(),
        sessions=storage().sessions,
        clock=CLOCK,
        public_url=LinkSettings().public_url,
    )
