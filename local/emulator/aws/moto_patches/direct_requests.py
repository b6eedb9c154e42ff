"""Pass the most frequent requests straight to moto's back ends, without its layers for HTTP messages in between.

These are requests for items of DynamoDB, invocations of functions, and those for the credentials of tool calls. Patches
``BaseClient._make_request``. Without the patch, botocore signs each request, and moto parses the HTTP message,
writes an HTTP response, and botocore parses that. These four steps take more than half of the CPU time of a request.
botocore still checks the parameters, and runs the hooks before and after each call. moto still checks the request. A
request that moto refuses is sent again over HTTP, so that its error has AWS's form. It has changed nothing.

``with_direct_items`` does the same for requests of other processes for items, which arrive as HTTP messages.
"""

import base64
import datetime as dt
import io
import json
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from http import HTTPStatus
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import botocore.session
from botocore.client import BaseClient
from botocore.exceptions import ReadTimeoutError
from botocore.response import StreamingBody
from moto import settings
from moto.awslambda.responses import LambdaResponse
from moto.core.exceptions import ServiceException
from moto.core.models import DEFAULT_ACCOUNT_ID, botocore_stubber
from moto.dynamodb.responses import DynamoHandler
from moto.sts.responses import TokenResponse
from moto.utilities.utils import get_partition
from werkzeug.exceptions import HTTPException

from local.emulator.aws.moto_patches.lambda_invoke import max_wait
from local.emulator.aws.moto_patches.patching import original, replace

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from botocore.model import OperationModel, ServiceModel

_OPERATIONS: Mapping[str, str] = {
    "BatchGetItem": "batch_get_item",
    "BatchWriteItem": "batch_write_item",
    "DeleteItem": "delete_item",
    "GetItem": "get_item",
    "PutItem": "put_item",
    "Query": "query",
    "TransactWriteItems": "transact_write_items",
    "UpdateItem": "update_item",
}
_TARGET = "DynamoDB_20120810."
_BINARY_TYPES = (b'{"B":', b'{"BS":')
_SUCCESS = SimpleNamespace(status_code=200, headers={})
_METADATA = {"ResponseMetadata": {"HTTPStatusCode": 200, "HTTPHeaders": {}, "RetryAttempts": 0}}
_Respond = Callable[[BaseClient, "OperationModel", Mapping[str, Any]], dict[str, Any]]
_log = logging.getLogger(__name__)
make_http_request = original(BaseClient, "_make_request")
"""Botocore's own method."""


@cache
def install() -> None:
    """Patch botocore so that the most frequent requests to the mocked AWS need no HTTP message."""
    replace(BaseClient, "_make_request", make_direct_request)


def with_direct_items(application: "WSGIApplication") -> "WSGIApplication":
    """Return ``application`` with direct access to items. All requests must be authenticated, with a header."""

    def respond(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        prefix, _, name = environ.get("HTTP_X_AMZ_TARGET", "").rpartition(_TARGET)
        if prefix or name not in _OPERATIONS or not _allows_everything():
            return application(environ, start_response)
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        environ["wsgi.input"] = io.BytesIO(body)
        if _has_binary(body):
            return application(environ, start_response)
        region = environ["HTTP_AUTHORIZATION"].split("/")[2]
        try:
            response = _run(region, _dynamodb().operation_model(name), json.loads(body))
        except (HTTPException, ServiceException) as error:
            _log.debug("DynamoDB refused %s: %s", name, error)
            return application(environ, start_response)
        content = json.dumps(response, default=_encode_binary).encode()
        headers = [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(content)))]
        start_response(f"{HTTPStatus.OK.value} {HTTPStatus.OK.phrase}", headers)
        return [content]

    return respond


@cache
def _dynamodb() -> "ServiceModel":
    return botocore.session.get_session().get_service_model("dynamodb")


def make_direct_request(
    self: BaseClient, operation_model: "OperationModel", request_dict: dict[str, Any], request_context: dict[str, Any]
) -> Any:  # noqa: ANN401  (botocore's response and its parsed body)
    """Replace botocore's method: send one of the most frequent requests without an HTTP message."""
    respond = _responder(operation_model, request_dict)
    if respond:
        try:
            response = respond(self, operation_model, request_dict)
            return _SUCCESS, response | _METADATA
        except (HTTPException, ServiceException) as error:  # the same request over HTTP raises botocore's error
            _log.debug("moto refused %s: %s", operation_model.name, error)
    return make_http_request(self, operation_model, request_dict, request_context)


def _responder(operation: "OperationModel", request: Mapping[str, Any]) -> _Respond | None:
    """Return the function that answers the request, or None if it must be an HTTP message."""
    if not botocore_stubber.enabled or ".amazonaws.com/" not in request["url"] or not _allows_everything():
        return None
    service = operation.service_model.service_name
    if service == "dynamodb":
        return _respond_item if operation.name in _OPERATIONS and not _has_binary(request["body"]) else None
    return _RESPONDERS.get((service, operation.name))


def _has_binary(body: bytes) -> bool:
    """Return True if the request has binary data, which only moto's layer for HTTP messages decodes."""
    return any(binary in body.replace(b" ", b"") for binary in _BINARY_TYPES)


def _encode_binary(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _allows_everything() -> bool:
    """Return False if moto checks permissions, which it does only for an HTTP message."""
    return math.isinf(settings.INITIAL_NO_AUTH_ACTION_COUNT)


def _respond_item(client: BaseClient, operation: "OperationModel", request: Mapping[str, Any]) -> dict[str, Any]:
    return _run(client.meta.region_name, operation, json.loads(request["body"]))


def _invoke(client: BaseClient, _operation: "OperationModel", request: Mapping[str, Any]) -> dict[str, Any]:
    """Invoke a function, and return the response as botocore would parse it. An error of the function is part of it.

    Raise ReadTimeoutError after the client's timeout. As on AWS, the function then runs on.
    """
    handler = LambdaResponse()
    handler.current_account, handler.region = DEFAULT_ACCOUNT_ID, client.meta.region_name
    handler.path, handler.querystring, handler.uri_match = request["url_path"], {}, {}
    handler.headers, handler.body = request["headers"], request["body"]
    try:
        with max_wait(vars(client.meta.config)["read_timeout"]):
            status, headers, payload = handler.invoke()
    except TimeoutError as timeout:
        raise ReadTimeoutError(endpoint_url=request["url"]) from timeout
    content = payload.encode() if isinstance(payload, str) else payload
    response = {"StatusCode": status, "Payload": StreamingBody(io.BytesIO(content), len(content))}
    error = headers.get("x-amz-function-error")
    return response | ({"FunctionError": error} if error else {})


def _assume_role(client: BaseClient, _operation: "OperationModel", request: Mapping[str, Any]) -> dict[str, Any]:
    """Create the credentials of a role, and return the response as botocore would parse it."""
    handler, region = TokenResponse(), client.meta.region_name
    handler.current_account, handler.region = DEFAULT_ACCOUNT_ID, region
    handler.partition, handler.params, handler.uri_match = get_partition(region), request["body"], {}
    result = cast("dict[str, Any]", handler.assume_role().result)
    role = result["Credentials"]
    credentials = {
        "AccessKeyId": role.access_key_id,
        "SecretAccessKey": role.secret_access_key,
        "SessionToken": role.session_token,
        "Expiration": role.expiration.replace(tzinfo=dt.UTC),
    }
    return result | {"Credentials": credentials}


_RESPONDERS: Mapping[tuple[str, str], _Respond] = {("lambda", "Invoke"): _invoke, ("sts", "AssumeRole"): _assume_role}


def _run(region: str, operation: "OperationModel", body: dict[str, Any]) -> dict[str, Any]:
    """Run the operation and return its response as botocore would parse it, without the metadata."""
    handler = DynamoHandler()
    handler.current_account, handler.region, handler.body, handler.params = DEFAULT_ACCOUNT_ID, region, body, body
    result = getattr(handler, _OPERATIONS[operation.name])().result
    known = operation.output_shape.members if operation.output_shape else {}
    return {name: value for name, value in result.items() if name in known and value is not None}
