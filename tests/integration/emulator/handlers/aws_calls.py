"""A handler that calls the emulated AWS. The child processes import this module."""

import os
from typing import Any, cast

import boto3

from local.emulator.runners.context import LambdaContext
from tests.integration.emulator.handlers.basic import hold


def call(event: object, context: LambdaContext) -> object:
    """Do what a runner does: list tools, or store an outcome and send the task token back, or hang."""
    order = cast("dict[str, Any]", event)
    if "list" in order["input"]:
        return {"tools": []}
    if "hang" in order["input"]:
        hold(order["input"]["hang"], context)
    body = str(context.tenant_id).encode()
    boto3.client("s3").put_object(Bucket=os.environ["BUCKET"], Key=order["input"]["key"], Body=body)
    boto3.client("stepfunctions").send_task_success(taskToken=order["token"], output='{"done": true}')
    return None
