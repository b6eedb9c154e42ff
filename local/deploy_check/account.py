"""An AWS account and a region, read with the credentials of the person who deploys.

AccountError
├── NoAccountError   there are no valid credentials, or no region
├── DeniedError      the credentials lack the permission for a request
└── UnansweredError  a request failed for another reason: no connection, throttled, unknown to an emulator
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import boto3
import jmespath  # type: ignore[import-untyped]
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from local.deploy_check.reads import DESCRIBE_STACKS, GET_CALLER_IDENTITY, LIST_STACK_RESOURCES, Read

_CONFIG = Config(connect_timeout=5, read_timeout=15, retries={"mode": "standard", "total_max_attempts": 3})
_DENIED = {"AccessDenied", "AccessDeniedException", "AuthorizationError", "UnauthorizedOperation", "403"}
_MISSING = {
    *("ResourceNotFoundException", "ResourceNotFound", "StateMachineDoesNotExist"),
    *("NoSuchBucket", "NotFound", "404", "ValidationError"),  # CloudFormation has no code of its own for missing stacks
}


class AccountError(Exception):
    """Base class of errors about requests to the account."""


class NoAccountError(AccountError):
    """There are no valid credentials, or no region. The message says what to do."""


class DeniedError(AccountError):
    """The credentials lack the permission ``action``."""

    def __init__(self, action: str) -> None:
        super().__init__(f"the permission {action} is missing")
        self.action = action


class UnansweredError(AccountError):
    """A request failed for another reason than a missing permission."""


class Account:
    """Reads from an account. Each request is one of ``reads.READS``, so nothing is ever written."""

    def __init__(self, session: boto3.Session, region: str) -> None:
        """Find out whose credentials these are. Raise NoAccountError if they are missing or invalid."""
        self.region = region
        self._client = cache(lambda service, region: session.client(service, region_name=region, config=_CONFIG))
        try:
            arn = self.read(GET_CALLER_IDENTITY)["Arn"].split(":")
        except AccountError as error:
            raise NoAccountError(f"no valid credentials for {region}: {error}") from error
        self.partition, self.id = arn[1], arn[4]
        self._stacks: dict[str, Mapping[str, str]] = {}

    def read(self, request: Read, *, region: str = "", **params: object) -> dict[str, Any]:
        """Return the response, or an empty one if the resource does not exist.

        Raise DeniedError if the permission is missing, UnansweredError if there is no other answer.
        """
        response: dict[str, Any] = {}
        with _translated(request):
            client = self._client(request.service, region or self.region)
            response |= getattr(client, xform_name(request.operation))(**params)
        return response

    def read_all(self, request: Read, path: str, *, region: str = "", **params: object) -> list[Any]:
        """Return the items at ``path`` (JMESPath) of all pages. Raise the errors of ``read``."""
        client = self._client(request.service, region or self.region)
        operation = xform_name(request.operation)
        if not client.can_paginate(operation):
            return list(jmespath.search(f"{path}[]", self.read(request, region=region, **params)) or [])
        found: list[Any] = []
        with _translated(request):
            found += client.get_paginator(operation).paginate(**params).search(f"{path}[]")
        return [each for each in found if each is not None]

    def stack_status(self, name: str) -> str:
        """Return the status of a CloudFormation stack, or an empty text if there is no such stack."""
        stacks = self.read(DESCRIBE_STACKS, StackName=name).get("Stacks", [])
        return str(stacks[0]["StackStatus"]) if stacks else ""

    def resources(self, *stacks: str) -> set[str]:
        """Return the physical ids of all resources of these stacks. A stack that does not exist has none."""
        return {id_ for stack in stacks for id_ in self.typed_resources(stack)}

    def typed_resources(self, stack: str) -> Mapping[str, str]:
        """Return the resource types of a stack by physical id."""
        if stack not in self._stacks:
            summaries = self.read_all(LIST_STACK_RESOURCES, "StackResourceSummaries", StackName=stack)
            self._stacks[stack] = {
                each["PhysicalResourceId"]: each["ResourceType"]
                for each in summaries
                if "PhysicalResourceId" in each and each["ResourceStatus"] != "DELETE_COMPLETE"
            }
        return self._stacks[stack]


@contextmanager
def _translated(request: Read) -> Iterator[None]:
    """Ignore the error for a resource that does not exist. Replace each other error of boto3 by one of this module."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code"))
        if code in _DENIED:
            raise DeniedError(request.action) from error
        if code not in _MISSING:
            raise UnansweredError(f"{request.action}: {error}") from error
    except BotoCoreError as error:
        raise UnansweredError(f"{request.action}: {error}") from error


def connect() -> Account:
    """Return the account of the environment's credentials and region. Raise NoAccountError if one is missing."""
    try:
        session = boto3.Session()
    except BotoCoreError as error:
        raise NoAccountError(str(error)) from error
    region = os.environ.get("AWS_REGION") or session.region_name  # boto3 alone ignores AWS_REGION, which CDK reads
    if not region:
        raise NoAccountError("no region: export AWS_REGION=eu-central-1, or set it in your AWS profile")
    return Account(session, region)
