"""Answers requests for the web client's files, in a deployment without CloudFront (the setting ``site=none``)."""

import base64
from http import HTTPStatus
from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed


@observed("page")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Return a file of the web client with the page's security headers, or status 404, as API Gateway expects it."""
    del context
    file = use_cases().read_page(event["rawPath"])
    if file is None:
        return {"statusCode": HTTPStatus.NOT_FOUND, "headers": {"content-type": "text/plain"}, "body": "Not found"}
    return {
        "statusCode": HTTPStatus.OK,
        "headers": file.headers,
        "body": base64.b64encode(file.content).decode(),
        "isBase64Encoded": True,
    }
