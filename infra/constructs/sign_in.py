"""Configure the sign-in of users: with the deployment's own Cognito user pool, or another OpenID Connect issuer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.settings import Settings

_MIN_PASSWORD_LENGTH = 12
_TOKEN_LIFETIME = Duration.hours(1)
_SESSION_LIFETIME = Duration.days(30)
_SUFFIX_LENGTH = 8


@dataclass(frozen=True)
class Issuer:
    """The issuer of sign-in tokens, and the origins that the page contacts. ``pool`` is None for an external issuer."""

    url: str
    origins: tuple[str, ...]
    pool: cognito.IUserPool | None = None
    sign_out_url: str | None = None


@dataclass(frozen=True)
class SignIn:
    """The client ids accepted in tokens (``audience``), and the page's sign-in configuration."""

    audience: list[str]
    page_config: Mapping[str, str]


def create_user_pool(
    scope: Construct, id_: str, *, groups: Sequence[str], removal_policy: RemovalPolicy
) -> cognito.UserPool:
    """Create the deployment's own user pool with these groups. Groups have members, so AWS retains them like users."""
    pool = _pool(scope, id_, removal_policy)
    for group in groups:
        pool.add_group(f"Group-{group}", group_name=group).apply_removal_policy(removal_policy)
    return pool


def create_issuer(scope: Construct, *, settings: Settings, own_pool: cognito.IUserPool) -> Issuer:
    """Return the token issuer that the settings name: an external one, an existing user pool, or the own pool.

    Create the sign-in page of the user pool, unless the settings name an existing page.
    """
    if settings.jwt_issuer is not None:
        return Issuer(settings.jwt_issuer, ("/".join(settings.jwt_issuer.split("/")[:3]),))
    stack = Stack.of(scope)
    api = f"https://cognito-idp.{stack.region}.{stack.url_suffix}"
    prefix = f"{settings.name}-{stack.account}"
    pool, id_ = own_pool, "SignInPage"
    if existing := settings.existing_user_pool:
        # With a name of its own for each pool, CloudFormation can create the page before it deletes another pool's.
        suffix = sha256(existing.encode()).hexdigest()[:_SUFFIX_LENGTH]
        pool = cognito.UserPool.from_user_pool_id(scope, "ExistingPeople", existing)
        prefix, id_ = f"{prefix}-{suffix}", f"{id_}-{suffix}"
    if settings.existing_sign_in_page:
        page = settings.existing_sign_in_page
    else:
        options = cognito.CognitoDomainOptions(domain_prefix=prefix)
        cognito.UserPoolDomain(scope, id_, user_pool=pool, cognito_domain=options)
        page = f"https://{prefix}.auth.{stack.region}.amazoncognito.com"
    return Issuer(f"{api}/{pool.user_pool_id}", (api, page), pool, f"{page}/logout")


def create_sign_in(scope: Construct, id_: str, *, settings: Settings, issuer: Issuer, url: str) -> SignIn:
    """Set up sign-in for the page at ``url``. The client has no secret, because a page cannot keep one.

    Users cannot change their e-mail address with the page's tokens, because the address identifies the user.
    """
    if issuer.pool is None:
        return SignIn(settings.jwt_audience, _page_config(issuer, settings.jwt_audience[0]))
    client = cognito.UserPoolClient(
        scope,
        id_,
        user_pool=issuer.pool,
        generate_secret=False,
        prevent_user_existence_errors=True,
        enable_token_revocation=True,
        # Users can also sign in by password over SRP. Administrators can sign in as a user with that user's password.
        auth_flows=cognito.AuthFlow(user_srp=True, admin_user_password=True),
        o_auth=cognito.OAuthSettings(
            flows=cognito.OAuthFlows(authorization_code_grant=True),
            scopes=[cognito.OAuthScope.OPENID, cognito.OAuthScope.EMAIL],
            callback_urls=[f"{url}/"],
            logout_urls=[f"{url}/"],
        ),
        supported_identity_providers=[cognito.UserPoolClientIdentityProvider.COGNITO],
        write_attributes=cognito.ClientAttributes().with_standard_attributes(fullname=True),
        id_token_validity=_TOKEN_LIFETIME,
        access_token_validity=_TOKEN_LIFETIME,
        refresh_token_validity=_SESSION_LIFETIME,
    )
    return SignIn([client.user_pool_client_id], _page_config(issuer, client.user_pool_client_id))


def _pool(scope: Construct, id_: str, removal_policy: RemovalPolicy) -> cognito.UserPool:
    """Return a user pool in which only administrators create users. Users must verify a new e-mail address."""
    pool = cognito.UserPool(
        scope,
        id_,
        sign_in_aliases=cognito.SignInAliases(email=True),
        self_sign_up_enabled=False,
        auto_verify=cognito.AutoVerifiedAttrs(email=True),
        keep_original=cognito.KeepOriginalAttrs(email=True),
        account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
        mfa=cognito.Mfa.OPTIONAL,
        mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
        password_policy=cognito.PasswordPolicy(
            min_length=_MIN_PASSWORD_LENGTH,
            require_lowercase=True,
            require_uppercase=True,
            require_digits=True,
            require_symbols=True,
        ),
        removal_policy=removal_policy,
    )
    acknowledge(
        pool,
        AwsSolutions_COG2="users may set a second factor; the pool's owner can require it from all",
        AwsSolutions_COG8="the plus plan has a price for each active user; the pool's owner can select it",
    )
    return pool


def _page_config(issuer: Issuer, client: str) -> dict[str, str]:
    sign_out = {"logout_url": issuer.sign_out_url} if issuer.sign_out_url else {}
    return {"auth": "oidc", "authority": issuer.url, "client_id": client, "scope": "openid email"} | sign_out
