"""The results of single constructs, which ``tests.infra.synthesis`` writes to a file for the tests."""

from tempfile import TemporaryDirectory
from typing import Any

from aws_cdk import App, Stack
from aws_cdk import aws_lambda as lambda_
from aws_cdk.assertions import Template
from constructs import Construct

from infra.application import synthesize
from infra.constructs.checks import acknowledge_wildcards
from infra.constructs.grants import UnknownModelError, allow_models, bedrock_arns
from infra.variables import VariablesTooLargeError

ARN = "arn:aws:bedrock:eu-central-1:123456789012"
MODELS = {
    "Plain": ["bedrock:amazon.nova-pro-v1:0"],
    "Profile": ["bedrock:us.anthropic.claude-sonnet-5-v1:0", "bedrock:us.anthropic.claude-sonnet-5-v1:0"],
    "Elsewhere": ["anthropic:claude-sonnet-5", "openai-chat:qwen@http://gpu.example:8000/v1", "offline"],
    "Offline": ["offline"],
    "NewGeography": ["bedrock:mx.anthropic.claude-sonnet-5-v1:0"],
    "ModelWithDots": ["bedrock:zai.glm-4.7"],
    "Imported": [f"bedrock:{ARN}:imported-model/abc123"],
    "Provisioned": [f"bedrock:{ARN}:provisioned-model/abc123"],
    "ArnOfProfile": [f"bedrock:{ARN}:inference-profile/eu.amazon.nova-lite-v1:0"],
    "OwnProfile": [f"bedrock:{ARN}:application-inference-profile/abc123"],
}


def model_statements() -> dict[str, Any]:
    """Create a function for each list of models. Return the policy statements of those that have any."""
    stack = Stack(App(), "Models")
    for id_, models in MODELS.items():
        function = lambda_.Function(
            stack,
            id_,
            runtime=lambda_.Runtime.PYTHON_3_11,
            handler="index.handler",
            code=lambda_.Code.from_inline("pass"),
        )
        allow_models(function, models, "satchel/")
    policies = Template.from_stack(stack).find_resources("AWS::IAM::Policy")
    return {
        next(id_ for id_ in MODELS if name.startswith(id_)): policy["Properties"]["PolicyDocument"]["Statement"]
        for name, policy in policies.items()
    }


def wildcard_error() -> str:
    """Return the error message for a wildcard without a reason."""
    construct = Construct(Stack(App(), "stack"), "Function")
    try:
        acknowledge_wildcards(construct, ["arn:aws:s3:::files/*"], "")
    except ValueError as error:
        return str(error)
    return ""


def unknown_model_error() -> str:
    """Return the error message for a Bedrock model id whose first part is unknown."""
    try:
        bedrock_arns(Stack(App(), "stack"), "bedrock:xx.newvendor.model-v1:0")
    except UnknownModelError as error:
        return str(error)
    return ""


def too_many_variables_error() -> str:
    """Return the error message of a synthesis with a long list of models."""
    models = [{"name": f"model-{n}", "model": "offline", "description": "x" * 200} for n in range(20)]
    with TemporaryDirectory() as folder:
        try:
            synthesize(folder, {"aws:cdk:bundling-stacks": [], "models": models}, checks=False)
        except VariablesTooLargeError as error:
            return str(error)
    return ""
