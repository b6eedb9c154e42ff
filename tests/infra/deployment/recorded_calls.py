"""The AWS requests that functions sent during a run, and the permissions that each request requires.

The actions are those of AWS's service authorization reference. An unknown operation raises KeyError with its name.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.emulator.aws.cloud import ACCOUNT, REGION

Params = Mapping[str, Any]
_LEADING_KEYS = "dynamodb:LeadingKeys"


@dataclass(frozen=True)
class Call:
    """A request that a function sent, or signed for a client. ``key_id`` is the access key of its credentials."""

    function: str
    service: str
    operation: str
    key_id: str
    params: Params


@dataclass(frozen=True)
class Permission:
    """A permission that a request requires: an action on a resource, with the values of condition keys."""

    action: str
    resource: str
    context: Mapping[str, tuple[str, ...]]


def read_calls(call_logs: Path) -> list[Call]:
    """Return the calls in the logs of all functions, those of a function in their order."""
    calls = []
    for file in sorted(call_logs.iterdir()):
        lines = file.read_text(encoding="utf-8").splitlines()
        calls += [Call(function=file.name, **json.loads(line)) for line in lines]
    return calls


def required_permissions(call: Call, more_params: Params) -> list[Permission]:
    """Return the permissions that a call requires. Raises KeyError for an unknown operation.

    ``more_params`` are values that the parameters lack: the machine of a task token (``stateMachineArn``), and the API
    of a connection (``Stage``, as ``{api}/{stage}``).
    """
    return list(_SERVICES[call.service](call.operation, {**call.params, **more_params}))


def _arn(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{resource}"


def _dynamodb(operation: str, params: Params) -> Iterator[Permission]:
    if operation == "TransactWriteItems":
        for each in params["TransactItems"]:
            ((kind, item),) = each.items()
            action = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
            yield _item(action.get(kind, "ConditionCheckItem"), item)
    elif operation in {"BatchGetItem", "BatchWriteItem"}:
        for table in params["RequestItems"]:
            yield _item(operation, {"TableName": table})
    elif operation in {"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query"}:
        yield _item(operation, params)
    else:
        raise KeyError(operation)


def _item(action: str, params: Params) -> Permission:
    keys = params.get("Key") or params.get("Item") or {}
    context = {_LEADING_KEYS: (str(keys["pk"]["S"]),)} if keys else {}
    index = f"/index/{params['IndexName']}" if "IndexName" in params else ""
    return Permission(f"dynamodb:{action}", _arn("dynamodb", f"table/{params['TableName']}{index}"), context)


_OBJECT_ACTIONS = {
    "GetObject": "GetObject",
    "HeadObject": "GetObject",
    "PutObject": "PutObject",
    "CreateMultipartUpload": "PutObject",
    "UploadPart": "PutObject",
    "CompleteMultipartUpload": "PutObject",
    "AbortMultipartUpload": "AbortMultipartUpload",
    "ListParts": "ListMultipartUploadParts",
    "PutObjectTagging": "PutObjectTagging",
    "DeleteObjectTagging": "DeleteObjectTagging",
}
_VERSION_ACTIONS = {"GetObject": "GetObjectVersion", "DeleteObject": "DeleteObjectVersion"}
_BUCKET_ACTIONS = {
    "GetBucketTagging": "GetBucketTagging",
    "ListObjectVersions": "ListBucketVersions",
    "ListObjectsV2": "ListBucket",
}


def _s3(operation: str, params: Params) -> Iterator[Permission]:
    bucket = f"arn:aws:s3:::{params['Bucket']}"
    if operation in _BUCKET_ACTIONS:
        yield Permission(f"s3:{_BUCKET_ACTIONS[operation]}", bucket, {})
        return
    if operation == "DeleteObjects":
        for each in params["Delete"]["Objects"]:
            yield Permission("s3:DeleteObject", f"{bucket}/{each['Key']}", {})  # also for a version: see DELETE_OBJECTS
            yield _object("DeleteObject", bucket, each)
        return
    yield _object(_OBJECT_ACTIONS[operation], bucket, params)
    if "Tagging" in params and operation in {"PutObject", "CreateMultipartUpload"}:
        yield _object("PutObjectTagging", bucket, params)


def _object(action: str, bucket: str, params: Params) -> Permission:
    versioned = _VERSION_ACTIONS[action] if "VersionId" in params else action
    return Permission(f"s3:{versioned}", f"{bucket}/{params['Key']}", {})


def _kms(operation: str, params: Params) -> Iterator[Permission]:
    yield Permission(f"kms:{operation}", _arn("kms", f"key/{params['KeyId']}"), {})


def _states(operation: str, params: Params) -> Iterator[Permission]:
    yield Permission(f"states:{operation}", params.get("executionArn") or params["stateMachineArn"], {})


def _lambda(operation: str, params: Params) -> Iterator[Permission]:
    name = str(params["FunctionName"])
    arn = name if name.startswith("arn:") else _arn("lambda", f"function:{name}")
    yield Permission({"Invoke": "lambda:InvokeFunction"}[operation], arn, {})


def _secrets(operation: str, params: Params) -> Iterator[Permission]:
    yield Permission(f"secretsmanager:{operation}", params["SecretId"], {})


def _sts(operation: str, params: Params) -> Iterator[Permission]:
    yield Permission(f"sts:{operation}", params["RoleArn"], {})


def _connections(operation: str, params: Params) -> Iterator[Permission]:
    method = {"PostToConnection": "POST", "DeleteConnection": "DELETE"}[operation]
    connection = f"{params['Stage']}/{method}/@connections/{params['ConnectionId']}"
    yield Permission("execute-api:ManageConnections", _arn("execute-api", connection), {})


_SERVICES: Mapping[str, Callable[[str, Params], Iterator[Permission]]] = {
    "apigatewaymanagementapi": _connections,
    "dynamodb": _dynamodb,
    "kms": _kms,
    "lambda": _lambda,
    "s3": _s3,
    "secretsmanager": _secrets,
    "stepfunctions": _states,
    "sts": _sts,
}
