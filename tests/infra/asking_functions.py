"""Prints what functions may do that ask models, by the resource: run as a process of its own.

In one that has run other tests, jsii's check of types may fail for what they have looked up in ``typing``.
"""

import json
import sys

from aws_cdk import App, Stack
from aws_cdk import aws_lambda as lambda_
from aws_cdk.assertions import Template

from infra.constructs.models import may_ask

NAMES = {
    "Plain": ["bedrock:amazon.nova-pro-v1:0"],
    "Profile": ["bedrock:us.anthropic.claude-sonnet-5-v1:0", "bedrock:us.anthropic.claude-sonnet-5-v1:0"],
    "Elsewhere": ["anthropic:claude-sonnet-5", "openai-chat:qwen@http://gpu.example:8000/v1", "offline"],
    "Offline": ["offline"],
}


def main() -> None:
    """Make a function for each list of models, and print its statements as JSON."""
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
    allowed = {
        next(id_ for id_ in NAMES if name.startswith(id_)): policy["Properties"]["PolicyDocument"]["Statement"]
        for name, policy in policies.items()
    }
    json.dump(allowed, sys.stdout)


if __name__ == "__main__":
    main()
