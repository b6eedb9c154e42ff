"""What it takes to ask models: the right to ask Bedrock's, and the keys of those that are somewhere else."""

from collections.abc import Sequence

from aws_cdk import Stack
from aws_cdk import aws_lambda as lambda_

from infra.constructs.grants import ASK_MODEL, READ_SECRET, may, secret_arn
from infra.providers import KEYS

_PROFILES = {"us", "eu", "apac", "jp", "au", "us-gov", "global"}


def may_ask(function: lambda_.Function, models: Sequence[str], secret_prefix: str) -> None:
    """Let a function ask these models (``provider:model``)."""
    stack = Stack.of(function)
    if arns := list(dict.fromkeys(arn for model in models for arn in model_arns(stack, model))):
        may(function, *ASK_MODEL, on=arns, because="a profile sends requests to regions that AWS chooses")
    keys = {KEYS[provider] for provider in map(_provider, models) if provider in KEYS}
    if keys:
        function.add_environment("SATCHEL_SECRET_PREFIX", secret_prefix)
        may(function, *READ_SECRET, on=[secret_arn(stack, f"{secret_prefix}{key}") for key in sorted(keys)])


def model_arns(stack: Stack, model: str) -> list[str]:
    """Return what ``bedrock:{id}`` stands for: the model, or an inference profile with the model behind it.

    A profile (``us.anthropic.…``, ``global.…``) sends requests to other regions, so the model is named in all of them.
    Empty for models that are not Bedrock's.
    """
    if _provider(model) != "bedrock":
        return []
    model_id = model.partition(":")[2].partition("@http")[0]
    profile, _, rest = model_id.partition(".")
    if profile not in _PROFILES:
        return [f"arn:{stack.partition}:bedrock:{stack.region}::foundation-model/{model_id}"]
    own = f"arn:{stack.partition}:bedrock:{stack.region}:{stack.account}:inference-profile/{model_id}"
    return [f"arn:{stack.partition}:bedrock:*::foundation-model/{rest}", own]


def _provider(model: str) -> str:
    return model.partition(":")[0]
