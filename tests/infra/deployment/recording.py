"""What functions asked of AWS while something went on, and what each of it needs to be allowed.

The actions are those of AWS's service authorization reference. An operation that is not known here fails by name.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.aws.cloud import ACCOUNT, REGION

Params = Mapping[str, Any]
_LEADING = "dynamodb:LeadingKeys"


@dataclass(frozen=True)
class Call:
    """One request, or one that was signed for somebody else. ``key_id`` tells whose credentials it has."""

    who: str
    service: str
    operation: str
    key_id: str
    params: Params


@dataclass(frozen=True)
class Need:
    """An action on a resource, with the values of condition keys."""

    action: str
    resource: str
    context: Mapping[str, tuple[str, ...]]


def read_calls(notes: Path) -> list[Call]:
    """Return the calls of all functions, those of each in their order."""
    found = []
    for file in sorted(notes.iterdir()):
        said = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
        found += [Call(who=file.name, **each) for each in said]
    return found


def needs(call: Call, known: Params) -> list[Need]:
    """Return what a call has to be allowed. Raises KeyError for an operation that is not known here.

    ``known`` is what the parameters do not say: task tokens name no machine (``stateMachineArn``), connections no API
    (``Stage``, as ``{api}/{stage}``).
    """
    return list(_SERVICES[call.service](call.operation, {**call.params, **known}))


def _arn(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{resource}"


def _dynamodb(operation: str, params: Params) -> Iterator[Need]:
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


def _item(action: str, params: Params) -> Need:
    keys = params.get("Key") or params.get("Item") or {}
    context = {_LEADING: (str(keys["pk"]["S"]),)} if keys else {}
    index = f"/index/{params['IndexName']}" if "IndexName" in params else ""
    return Need(f"dynamodb:{action}", _arn("dynamodb", f"table/{params['TableName']}{index}"), context)


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
_OF_VERSIONS = {"GetObject": "GetObjectVersion", "DeleteObject": "DeleteObjectVersion"}
_BUCKET_ACTIONS = {"ListObjectVersions": "ListBucketVersions", "ListObjectsV2": "ListBucket"}


def _s3(operation: str, params: Params) -> Iterator[Need]:
    bucket = f"arn:aws:s3:::{params['Bucket']}"
    if operation in _BUCKET_ACTIONS:
        yield Need(f"s3:{_BUCKET_ACTIONS[operation]}", bucket, {})
        return
    if operation == "DeleteObjects":
        for each in params["Delete"]["Objects"]:
            yield _object("DeleteObject", bucket, each)
        return
    yield _object(_OBJECT_ACTIONS[operation], bucket, params)
    if "Tagging" in params and operation in {"PutObject", "CreateMultipartUpload"}:
        yield _object("PutObjectTagging", bucket, params)


def _object(action: str, bucket: str, params: Params) -> Need:
    versioned = _OF_VERSIONS[action] if "VersionId" in params else action
    return Need(f"s3:{versioned}", f"{bucket}/{params['Key']}", {})


def _states(operation: str, params: Params) -> Iterator[Need]:
    yield Need(f"states:{operation}", params.get("executionArn") or params["stateMachineArn"], {})


def _lambda(operation: str, params: Params) -> Iterator[Need]:
    name = str(params["FunctionName"])
    arn = name if name.startswith("arn:") else _arn("lambda", f"function:{name}")
    yield Need({"Invoke": "lambda:InvokeFunction"}[operation], arn, {})


def _secrets(operation: str, params: Params) -> Iterator[Need]:
    yield Need(f"secretsmanager:{operation}", params["SecretId"], {})


def _sts(operation: str, params: Params) -> Iterator[Need]:
    yield Need(f"sts:{operation}", params["RoleArn"], {})


def _connections(operation: str, params: Params) -> Iterator[Need]:
    method = {"PostToConnection": "POST", "DeleteConnection": "DELETE"}[operation]
    connection = f"{params['Stage']}/{method}/@connections/{params['ConnectionId']}"
    yield Need("execute-api:ManageConnections", _arn("execute-api", connection), {})


_SERVICES: Mapping[str, Callable[[str, Params], Iterator[Need]]] = {
    "apigatewaymanagementapi": _connections,
    "dynamodb": _dynamodb,
    "lambda": _lambda,
    "s3": _s3,
    "secretsmanager": _secrets,
    "stepfunctions": _states,
    "sts": _sts,
}
