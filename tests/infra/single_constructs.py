"""What single constructs make and refuse; ``tests.infra.synthesis`` writes it down for the tests."""

from typing import Any

from aws_cdk import App, Stack
from aws_cdk import aws_lambda as lambda_
from aws_cdk.assertions import Template
from constructs import Construct

from infra.constructs.checks import acknowledge_wildcards
from infra.constructs.models import may_ask

NAMES = {
    "Plain": ["bedrock:amazon.nova-pro-v1:0"],
    "Profile": ["bedrock:us.anthropic.claude-sonnet-5-v1:0", "bedrock:us.anthropic.claude-sonnet-5-v1:0"],
    "Elsewhere": ["anthropic:claude-sonnet-5", "openai-chat:qwen@http://gpu.example:8000/v1", "offline"],
    "Offline": ["offline"],
}


def allowed() -> dict[str, Any]:
    """Make a function for each list of models; return the statements of those that have any."""
    stack = Stack(App(), "Models")
    for id_, models in NAMES.items():
        function = lambda_.Function(
            stack,
            id_,
            runtime=lambda_.Runtime.PYTHON_3_11,
            handler="index.handler",
            code=lambda_.Code.from_inline("pass"),
        )
        may_ask(function, models, "satchel/")
    policies = Template.from_stack(stack).find_resources("AWS::IAM::Policy")
    return {
        next(id_ for id_ in NAMES if name.startswith(id_)): policy["Properties"]["PolicyDocument"]["Statement"]
        for name, policy in policies.items()
    }


def refusal() -> str:
    """Return what is said of somebody who may reach further than one resource, and nobody says why."""
    somebody = Construct(Stack(App(), "stack"), "Somebody")
    try:
        acknowledge_wildcards(somebody, ["arn:aws:s3:::files/*"], "")
    except ValueError as error:
        return str(error)
    return ""
