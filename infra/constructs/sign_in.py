"""Who may come in: people of our own user pool, who sign in on Cognito's page, or those of another issuer."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.settings import Settings

_LEAST_PASSWORD = 12
_TOKEN = Duration.hours(1)
_SIGNED_IN = Duration.days(30)


@dataclass(frozen=True)
class Issuer:
    """Whose tokens are accepted, and which origins the page asks for them; ``pool`` where it is our own."""

    url: str
    origins: tuple[str, ...]
    pool: cognito.IUserPool | None = None
    sign_out: str | None = None


@dataclass(frozen=True)
class SignIn:
    """For which clients tokens must be made out, and what the page is told (web/src/auth/identity.ts)."""

    audience: list[str]
    told: Mapping[str, str]


def issuer(scope: Construct, id_: str, *, settings: Settings, removal_policy: RemovalPolicy) -> Issuer:
    """Return the issuer that is set, or make a pool of our own."""
    if settings.jwt_issuer is not None:
        return Issuer(settings.jwt_issuer, ("/".join(settings.jwt_issuer.split("/")[:3]),))
    pool = _pool(scope, id_, removal_policy)
    for group in settings.groups:
        pool.add_group(f"Group-{group}", group_name=group)
    stack = Stack.of(scope)
    prefix = f"{settings.name}-{stack.account}"
    pool.add_domain("SignInPage", cognito_domain=cognito.CognitoDomainOptions(domain_prefix=prefix))
    page = f"https://{prefix}.auth.{stack.region}.amazoncognito.com"
    api = f"https://cognito-idp.{stack.region}.{stack.url_suffix}"
    return Issuer(pool.user_pool_provider_url, (api, page), pool, f"{page}/logout")


def sign_in(scope: Construct, id_: str, *, settings: Settings, issuer: Issuer, url: str) -> SignIn:
    """Let people who signed in come back to ``url``, with an authorization code and PKCE: the page holds no secret.

    Nobody changes his own e-mail by this client, since that is who he is.
    """
    if issuer.pool is None:
        return SignIn(settings.jwt_audience, _told(issuer, settings.jwt_audience[0]))
    client = cognito.UserPoolClient(
        scope,
        id_,
        user_pool=issuer.pool,
        generate_secret=False,
        prevent_user_existence_errors=True,
        enable_token_revocation=True,
        # By hand, too: with a password over SRP, or by an administrator for somebody.
        auth_flows=cognito.AuthFlow(user_srp=True, admin_user_password=True),
        o_auth=cognito.OAuthSettings(
            flows=cognito.OAuthFlows(authorization_code_grant=True),
            scopes=[cognito.OAuthScope.OPENID, cognito.OAuthScope.EMAIL],
            callback_urls=[f"{url}/"],
            logout_urls=[f"{url}/"],
        ),
        supported_identity_providers=[cognito.UserPoolClientIdentityProvider.COGNITO],
        write_attributes=cognito.ClientAttributes().with_standard_attributes(fullname=True),
        id_token_validity=_TOKEN,
        access_token_validity=_TOKEN,
        refresh_token_validity=_SIGNED_IN,
    )
    return SignIn([client.user_pool_client_id], _told(issuer, client.user_pool_client_id))


def _pool(scope: Construct, id_: str, removal_policy: RemovalPolicy) -> cognito.UserPool:
    """Nobody signs up by himself: an administrator creates the people. A new e-mail counts once it is verified."""
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
            min_length=_LEAST_PASSWORD,
            require_lowercase=True,
            require_uppercase=True,
            require_digits=True,
            require_symbols=True,
        ),
        removal_policy=removal_policy,
    )
    acknowledge(
        pool,
        AwsSolutions_COG2="each person may set a second factor; whether all must is for the pool's owner to say",
        AwsSolutions_COG8="the plus plan costs for every person and month: an option of the pool's owner",
    )
    return pool


def _told(issuer: Issuer, client: str) -> dict[str, str]:
    sign_out = {"logout_url": issuer.sign_out} if issuer.sign_out else {}
    return {"auth": "oidc", "authority": issuer.url, "client_id": client, "scope": "openid email"} | sign_out
