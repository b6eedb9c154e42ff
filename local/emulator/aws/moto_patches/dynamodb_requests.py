"""Pass requests for items straight to moto's DynamoDB, without its layers for HTTP messages in between.

Patches ``BaseClient._make_request``. Without the patch, botocore signs each request, and moto parses the HTTP message,
writes an HTTP response, and botocore parses that. These four steps take more than half of the CPU time of a request.
botocore still checks the parameters, and runs the hooks before and after each call. moto still checks the request. A
request that fails is sent again over HTTP, so that its error has AWS's form. A failed request has changed nothing.

``with_direct_items`` does the same for requests of other processes, which arrive as HTTP messages.
"""

import base64
import io
import json
import logging
import math
from collections.abc import Iterable, Mapping
from functools import cache
from http import HTTPStatus
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore.client import BaseClient
from moto import settings
from moto.core.exceptions import ServiceException
from moto.core.models import DEFAULT_ACCOUNT_ID, botocore_stubber
from moto.dynamodb.responses import DynamoHandler
from werkzeug.exceptions import HTTPException

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
_log = logging.getLogger(__name__)
_make_request = original(BaseClient, "_make_request")


@cache
def install() -> None:
    """Patch botocore so that requests for items of a mocked DynamoDB table need no HTTP message."""
    replace(BaseClient, "_make_request", _make_direct_request)


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


def _make_direct_request(
    self: BaseClient, operation_model: "OperationModel", request_dict: dict[str, Any], request_context: dict[str, Any]
) -> Any:  # noqa: ANN401  (botocore's response and its parsed body)
    if _is_direct(operation_model, request_dict):
        try:
            response = _run(self.meta.region_name, operation_model, json.loads(request_dict["body"]))
            return _SUCCESS, response | _METADATA
        except (HTTPException, ServiceException) as error:  # the same request over HTTP raises botocore's error
            _log.debug("DynamoDB refused %s: %s", operation_model.name, error)
    return _make_request(self, operation_model, request_dict, request_context)


def _is_direct(operation: "OperationModel", request: Mapping[str, Any]) -> bool:
    return (
        operation.name in _OPERATIONS
        and operation.service_model.service_name == "dynamodb"
        and botocore_stubber.enabled
        and request["url"].endswith(".amazonaws.com/")
        and _allows_everything()
        and not _has_binary(request["body"])
    )


def _has_binary(body: bytes) -> bool:
    """Return True if the request has binary data, which only moto's layer for HTTP messages decodes."""
    return any(binary in body.replace(b" ", b"") for binary in _BINARY_TYPES)


def _encode_binary(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _allows_everything() -> bool:
    """Return False if moto checks permissions, which it does only for an HTTP message."""
    return math.isinf(settings.INITIAL_NO_AUTH_ACTION_COUNT)


def _run(region: str, operation: "OperationModel", body: dict[str, Any]) -> dict[str, Any]:
    """Run the operation and return its response as botocore would parse it, without the metadata."""
    handler = DynamoHandler()
    handler.current_account, handler.region, handler.body, handler.params = DEFAULT_ACCOUNT_ID, region, body, body
    result = getattr(handler, _OPERATIONS[operation.name])().result
    known = operation.output_shape.members if operation.output_shape else {}
    return {name: value for name, value in result.items() if name in known and value is not None}
