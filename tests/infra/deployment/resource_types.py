"""Resource types that moto's CloudFormation lacks or does not create completely, and ``install`` to add them.

To add a type: a ``ResourceType`` that creates the resource with boto3 if moto has the service, or a ``placeholder``. A
type without a model raises an error, where moto alone would only log a warning.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from moto.cloudformation import parsing
from moto.core.common_models import CloudFormationModel
from moto.stepfunctions import models as stepfunctions
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local.emulator.aws.moto_patches.patching import replace
from tests.infra.deployment.resource_model import Client, Properties, Resource, ResourceType, model_of, placeholder

_NUMBERS = ("TimeoutInMillis", "AuthorizerResultTtlInSeconds")
_POOL_PROPERTIES = ("Policies", "UsernameAttributes", "AutoVerifiedAttributes", "AdminCreateUserConfig")
_CLIENT_PROPERTIES = (
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


def _event_invoke_config(properties: Properties, name: str, client: Client) -> Resource:
    numbers = {
        key: int(properties[key]) for key in ("MaximumRetryAttempts", "MaximumEventAgeInSeconds") if key in properties
    }
    client("lambda").put_function_event_invoke_config(
        FunctionName=properties["FunctionName"],
        DestinationConfig=properties.get("DestinationConfig", {}),
        **numbers,
    )
    return Resource(name)


def _alias(properties: Properties, _name: str, client: Client) -> Resource:
    alias = client("lambda").create_alias(
        FunctionName=properties["FunctionName"], FunctionVersion=properties["FunctionVersion"], Name=properties["Name"]
    )
    return Resource(alias["AliasArn"], {"AliasArn": alias["AliasArn"]})


def _created_by(operation: str, id_: str) -> Callable[[Properties, str, Client], Resource]:
    """Return a creation function for a type whose properties equal the parameters of a boto3 operation."""

    def create(properties: Properties, _name: str, client: Client) -> Resource:
        numbers = {key: int(properties[key]) for key in _NUMBERS if key in properties}
        response = getattr(client("apigatewayv2"), operation)(**properties | numbers)
        return Resource(response[id_], {id_: response[id_]})

    return create


def _api(properties: Properties, _name: str, client: Client) -> Resource:
    response = client("apigatewayv2").create_api(**properties)
    return Resource(response["ApiId"], {"ApiId": response["ApiId"], "ApiEndpoint": response["ApiEndpoint"]})


def _stage(properties: Properties, _name: str, client: Client) -> Resource:
    limits = properties.pop("DefaultRouteSettings", {})
    client("apigatewayv2").create_stage(
        **properties, DefaultRouteSettings={k: float(v) if k == "ThrottlingRateLimit" else v for k, v in limits.items()}
    )
    return Resource(properties["StageName"])


def _user_pool(properties: Properties, name: str, client: Client) -> Resource:
    parameters = {key: properties[key] for key in _POOL_PROPERTIES if key in properties}
    pool_name = properties.get("UserPoolName", name)
    pool = client("cognito-idp").create_user_pool(PoolName=pool_name, **parameters)["UserPool"]
    provider = f"cognito-idp.{pool['Arn'].split(':')[3]}.amazonaws.com/{pool['Id']}"
    attributes = {"Arn": pool["Arn"], "ProviderName": provider, "ProviderURL": f"https://{provider}"}
    return Resource(pool["Id"], {**attributes, "UserPoolId": pool["Id"]})


def _user_pool_client(properties: Properties, name: str, client: Client) -> Resource:
    parameters = {key: properties[key] for key in _CLIENT_PROPERTIES if key in properties}
    created = client("cognito-idp").create_user_pool_client(
        UserPoolId=properties["UserPoolId"], ClientName=properties.get("ClientName", name), **parameters
    )["UserPoolClient"]
    return Resource(created["ClientId"], {"ClientId": created["ClientId"], "Name": created["ClientName"]})


def _user_pool_domain(properties: Properties, _name: str, client: Client) -> Resource:
    client("cognito-idp").create_user_pool_domain(UserPoolId=properties["UserPoolId"], Domain=properties["Domain"])
    return Resource(properties["Domain"])


def _user_pool_group(properties: Properties, _name: str, client: Client) -> Resource:
    client("cognito-idp").create_group(**properties)
    return Resource(properties["GroupName"])


def _secret(properties: Properties, name: str, client: Client) -> Resource:
    secrets = client("secretsmanager")
    text = properties.get("SecretString")
    if generation := properties.get("GenerateSecretString"):
        password = secrets.get_random_password(
            PasswordLength=int(generation.get("PasswordLength", 32)),
            ExcludePunctuation=generation.get("ExcludePunctuation", False),
        )["RandomPassword"]
        template = json.loads(generation["SecretStringTemplate"]) if "SecretStringTemplate" in generation else None
        text = password if template is None else json.dumps({**template, generation["GenerateStringKey"]: password})
    arn = secrets.create_secret(Name=properties.get("Name", name), SecretString=text)["ARN"]
    return Resource(arn, {"Id": arn})


def _key(properties: Properties, _name: str, client: Client) -> Resource:
    """Create a key of the kind in the template: moto's own model creates only keys for encryption."""
    parameters = {name: properties[name] for name in ("Description", "KeySpec", "KeyUsage")}
    key = client("kms").create_key(**parameters)["KeyMetadata"]
    return Resource(key["KeyId"], {"Arn": key["Arn"], "KeyId": key["KeyId"]})


def _rotation(properties: Properties, _name: str, client: Client) -> Resource:
    """Configure the rotation without an immediate run, because the functions do not run yet."""
    secret = properties["SecretId"]
    rules = {key: int(value) for key, value in properties["RotationRules"].items()}
    client("secretsmanager").rotate_secret(
        SecretId=secret,
        RotationLambdaARN=properties["RotationLambdaARN"],
        RotationRules=rules,
        RotateImmediately=False,
    )
    return Resource(secret)


def _bucket_policy(properties: Properties, _name: str, client: Client) -> Resource:
    """Omit denials with a condition: moto ignores conditions and would deny every request."""
    policy = properties["PolicyDocument"]
    allowed = [each for each in policy["Statement"] if each["Effect"] == "Allow" or "Condition" not in each]
    if allowed:
        document = json.dumps({**policy, "Statement": allowed})
        client("s3").put_bucket_policy(Bucket=properties["Bucket"], Policy=document)
    return Resource(properties["Bucket"])


def _queue_policy(properties: Properties, name: str, client: Client) -> Resource:
    document = {"Policy": json.dumps(properties["PolicyDocument"])}
    for queue in properties["Queues"]:
        client("sqs").set_queue_attributes(QueueUrl=queue, Attributes=document)
    return Resource(name, {"Id": name})


RESOURCE_TYPES = (
    placeholder("AWS::CloudFront::CachePolicy", Id="{id}"),
    placeholder("AWS::CloudFront::Distribution", Id="{id}", DomainName="{id}.cloudfront.net"),
    placeholder("AWS::CloudFront::Function", FunctionARN="arn:aws:cloudfront::123456789012:function/{id}"),
    placeholder("AWS::CloudFront::OriginAccessControl", Id="{id}"),
    placeholder("AWS::CloudFront::OriginRequestPolicy", Id="{id}"),
    placeholder("AWS::CloudFront::ResponseHeadersPolicy", Id="{id}"),
    placeholder("AWS::CloudWatch::Alarm", Arn="arn:aws:cloudwatch:us-east-1:123456789012:alarm:{id}"),
    placeholder("AWS::CloudWatch::Dashboard"),
    placeholder("Custom::EmptiedBucket"),
    placeholder("AWS::Logs::MetricFilter"),
    placeholder("AWS::Logs::ResourcePolicy"),
    ResourceType("AWS::Lambda::EventInvokeConfig", _event_invoke_config),
    ResourceType("AWS::Lambda::Alias", _alias, ("AliasArn",)),
    ResourceType("AWS::ApiGatewayV2::Api", _api, ("ApiId", "ApiEndpoint")),
    ResourceType("AWS::ApiGatewayV2::Authorizer", _created_by("create_authorizer", "AuthorizerId"), ("AuthorizerId",)),
    ResourceType("AWS::ApiGatewayV2::Integration", _created_by("create_integration", "IntegrationId")),
    ResourceType("AWS::ApiGatewayV2::Route", _created_by("create_route", "RouteId"), ("RouteId",)),
    ResourceType("AWS::ApiGatewayV2::RouteResponse", _created_by("create_route_response", "RouteResponseId")),
    ResourceType("AWS::ApiGatewayV2::Stage", _stage),
    ResourceType("AWS::Cognito::UserPool", _user_pool, ("Arn", "ProviderName", "ProviderURL", "UserPoolId")),
    ResourceType("AWS::Cognito::UserPoolClient", _user_pool_client, ("ClientId", "Name")),
    ResourceType("AWS::Cognito::UserPoolDomain", _user_pool_domain),
    ResourceType("AWS::Cognito::UserPoolGroup", _user_pool_group),
    placeholder("AWS::Cognito::ManagedLoginBranding"),
    ResourceType("AWS::KMS::Key", _key, ("Arn", "KeyId")),
    ResourceType("AWS::SecretsManager::Secret", _secret, ("Id",)),
    ResourceType("AWS::SecretsManager::RotationSchedule", _rotation),
    ResourceType("AWS::S3::BucketPolicy", _bucket_policy),
    ResourceType("AWS::SQS::QueuePolicy", _queue_policy, ("Id",)),
)

_models: list[type[CloudFormationModel]] = []


class UnknownTypeError(Exception):
    """A template uses a type without a model. The message names the type."""


@cache
def install() -> None:
    """Patch moto for the rest of the process. Otherwise it skips resources of unknown types with a warning."""
    _models.extend(model_of(each) for each in RESOURCE_TYPES)  # moto finds referenced subclasses
    for cached in (parsing.get_model_list, parsing.get_model_map, parsing.get_name_type_map):
        cached.cache_clear()
    replace(parsing, "resource_class_from_type", _model_of_type)
    # Otherwise CloudFormation creates state machines in a back end that executes nothing.
    replace(stepfunctions, "stepfunctions_backends", stepfunctions_parser_backends)


def unknown_types(template: Mapping[str, Any]) -> set[str]:
    """Return the types of a template that have no model."""
    types = {resource["Type"] for resource in template["Resources"].values()}
    return types - parsing.get_model_map().keys()


def _model_of_type(resource_type: str) -> type[CloudFormationModel]:
    if resource_type not in parsing.get_model_map():
        raise UnknownTypeError(f"{resource_type}: add it to tests/infra/deployment/resource_types.py")
    return parsing.get_model_map()[resource_type]
