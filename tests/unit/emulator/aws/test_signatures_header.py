import datetime as dt

import pytest
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.emulator.aws.signatures import RequestRejected, check_authorization_header

SECRETS = {"AKIATEST": "secret"}
URL = "http://127.0.0.1:4566/2015-03-31/functions/a%20b/invocations?Qualifier=1"
BODY = b'{"a": 1}'


def signed(
    service: str = "lambda", key: str = "AKIATEST", secret: str = SECRETS["AKIATEST"], **more: str
) -> dict[str, str]:
    """Return the headers of a signed POST of BODY to URL."""
    headers = {"host": "127.0.0.1:4566", "x-amz-tenant-id": "alice", **more}
    request = AWSRequest(method="POST", url=URL, data=BODY, headers=headers)
    signer = S3SigV4Auth if service == "s3" else SigV4Auth
    signer(Credentials(key, secret, "token"), service, "us-east-1").add_auth(request)
    return {name.lower(): str(value) for name, value in request.headers.items()}


def error_code(
    headers: dict[str, str], method: str = "POST", url: str = URL, body: bytes = BODY, minutes: float = 0
) -> str | None:
    """Return the error code of a request that is sent in ``minutes`` minutes, or None if it is accepted."""
    now = dt.datetime.now(tz=dt.UTC) + dt.timedelta(minutes=minutes)
    try:
        check_authorization_header(method, url, headers, lambda: body, secret_of=SECRETS.get, now=now)
    except RequestRejected as error:
        return error.code
    return None


@pytest.mark.parametrize("service", ["lambda", "dynamodb", "s3"])
def test_signed_request_is_accepted_with_additional_headers(service: str) -> None:
    assert error_code(signed(service) | {"user-agent": "x", "content-length": "8"}) is None


def test_signed_header_with_an_underscore_is_found_under_its_wsgi_name() -> None:
    headers = signed("s3", **{"x-amz-meta-file_key": "f1"})
    assert error_code({name.replace("_", "-"): value for name, value in headers.items()}) is None


def test_altered_request_is_rejected() -> None:
    valid = signed()
    assert error_code(valid, method="PUT") == "SignatureDoesNotMatch"
    assert error_code(valid, url=URL.replace("a%20b", "other")) == "SignatureDoesNotMatch"
    assert error_code(valid, url=f"{URL}&more=1") == "SignatureDoesNotMatch"
    assert error_code(valid, body=b"{}") == "SignatureDoesNotMatch"
    assert error_code(valid | {"x-amz-tenant-id": "bob"}) == "SignatureDoesNotMatch"
    assert error_code(valid | {"host": "127.0.0.1:1"}) == "SignatureDoesNotMatch"


def test_unknown_key_and_wrong_secret_are_rejected() -> None:
    assert error_code(signed(key="AKIAOTHER")) == "InvalidAccessKeyId"
    assert error_code(signed(secret="guess")) == "SignatureDoesNotMatch"


def test_request_is_valid_for_15_minutes() -> None:
    headers = signed()
    assert error_code(headers, minutes=14) is None
    assert error_code(headers, minutes=16) == "RequestTimeTooSkewed"
    assert error_code(headers, minutes=-16) == "RequestTimeTooSkewed"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "AWS4-HMAC-SHA256",
        "AWS4-HMAC-SHA256 Credential=AKIATEST/20251121/us-east-1/s3/aws4_request",
        "AWS AKIATEST:signature",
        "Bearer AKIATEST",
    ],
)
def test_other_authorization_header_is_rejected(header: str) -> None:
    assert error_code(signed() | {"authorization": header}) == "AccessDenied"


def test_request_without_a_valid_time_is_rejected() -> None:
    assert error_code(signed() | {"x-amz-date": "yesterday"}) == "AccessDenied"


def test_body_is_not_read_if_the_key_is_unknown() -> None:
    def body() -> bytes:
        raise AssertionError("the body was read")

    with pytest.raises(RequestRejected):
        check_authorization_header(
            "POST", URL, signed(key="AKIAOTHER"), body, secret_of=SECRETS.get, now=dt.datetime.now(tz=dt.UTC)
        )
