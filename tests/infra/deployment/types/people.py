"""Cognito: who signs in."""

from tests.infra.deployment.types.kind import Client, Kind, Made, Properties, stands_for

_OF_POOLS = ("Policies", "UsernameAttributes", "AutoVerifiedAttributes", "AdminCreateUserConfig")
_OF_CLIENTS = (
    "AllowedOAuthFlows",
    "AllowedOAuthFlowsUserPoolClient",
    "AllowedOAuthScopes",
    "CallbackURLs",
    "ExplicitAuthFlows",
    "GenerateSecret",
    "LogoutURLs",
    "PreventUserExistenceErrors",
    "SupportedIdentityProviders",
)


def _pool(properties: Properties, name: str, client: Client) -> Made:
    kept = {key: properties[key] for key in _OF_POOLS if key in properties}
    pool = client("cognito-idp").create_user_pool(PoolName=properties.get("UserPoolName", name), **kept)["UserPool"]
    provider = f"cognito-idp.{pool['Arn'].split(':')[3]}.amazonaws.com/{pool['Id']}"
    attributes = {"Arn": pool["Arn"], "ProviderName": provider, "ProviderURL": f"https://{provider}"}
    return Made(pool["Id"], {**attributes, "UserPoolId": pool["Id"]})


def _client(properties: Properties, name: str, client: Client) -> Made:
    kept = {key: properties[key] for key in _OF_CLIENTS if key in properties}
    made = client("cognito-idp").create_user_pool_client(
        UserPoolId=properties["UserPoolId"], ClientName=properties.get("ClientName", name), **kept
    )["UserPoolClient"]
    return Made(made["ClientId"], {"ClientId": made["ClientId"], "Name": made["ClientName"]})


def _domain(properties: Properties, _name: str, client: Client) -> Made:
    client("cognito-idp").create_user_pool_domain(UserPoolId=properties["UserPoolId"], Domain=properties["Domain"])
    return Made(properties["Domain"])


def _group(properties: Properties, _name: str, client: Client) -> Made:
    client("cognito-idp").create_group(**properties)
    return Made(properties["GroupName"])


KINDS = (
    Kind("AWS::Cognito::UserPool", _pool, ("Arn", "ProviderName", "ProviderURL", "UserPoolId")),
    Kind("AWS::Cognito::UserPoolClient", _client, ("ClientId", "Name")),
    Kind("AWS::Cognito::UserPoolDomain", _domain),
    Kind("AWS::Cognito::UserPoolGroup", _group),
    stands_for("AWS::Cognito::ManagedLoginBranding"),
)
