import datetime as dt

import pytest
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.aws.signatures import Refused
from local.aws.signed import check

SECRETS = {"AKIATEST": "secret"}
URL = "http://127.0.0.1:4566/2015-03-31/functions/a%20b/invocations?Qualifier=1"
BODY = b'{"a": 1}'


def signed(
    service: str = "lambda", key: str = "AKIATEST", secret: str = SECRETS["AKIATEST"], **more: str
) -> dict[str, str]:
    """Return the headers of a signed POST of BODY to URL."""
    given = {"host": "127.0.0.1:4566", "x-amz-tenant-id": "alice", **more}
    request = AWSRequest(method="POST", url=URL, data=BODY, headers=given)
    kind = S3SigV4Auth if service == "s3" else SigV4Auth
    kind(Credentials(key, secret, "token"), service, "us-east-1").add_auth(request)
    return {name.lower(): str(value) for name, value in request.headers.items()}


def refusal(
    headers: dict[str, str], method: str = "POST", url: str = URL, body: bytes = BODY, minutes: float = 0
) -> str | None:
    """Return the code with which a request is refused so many minutes from now, or None."""
    now = dt.datetime.now(tz=dt.UTC) + dt.timedelta(minutes=minutes)
    try:
        check(method, url, headers, lambda: body, secrets=SECRETS.get, now=now)
    except Refused as error:
        return error.code
    return None


@pytest.mark.parametrize("service", ["lambda", "dynamodb", "s3"])
def test_what_was_signed_is_admitted_and_may_carry_more_headers(service: str) -> None:
    assert refusal(signed(service) | {"user-agent": "x", "content-length": "8"}) is None


def test_a_header_with_an_underscore_is_found_as_wsgi_spells_it() -> None:
    headers = signed("s3", **{"x-amz-meta-file_key": "f1"})
    assert refusal({name.replace("_", "-"): value for name, value in headers.items()}) is None


def test_an_altered_request_is_refused() -> None:
    good = signed()
    assert refusal(good, method="PUT") == "SignatureDoesNotMatch"
    assert refusal(good, url=URL.replace("a%20b", "other")) == "SignatureDoesNotMatch"
    assert refusal(good, url=f"{URL}&more=1") == "SignatureDoesNotMatch"
    assert refusal(good, body=b"{}") == "SignatureDoesNotMatch"
    assert refusal(good | {"x-amz-tenant-id": "bob"}) == "SignatureDoesNotMatch"
    assert refusal(good | {"host": "127.0.0.1:1"}) == "SignatureDoesNotMatch"


def test_a_key_that_does_not_exist_is_refused_and_a_wrong_secret_too() -> None:
    assert refusal(signed(key="AKIAOTHER")) == "InvalidAccessKeyId"
    assert refusal(signed(secret="guess")) == "SignatureDoesNotMatch"


def test_a_request_is_good_for_a_quarter_of_an_hour() -> None:
    headers = signed()
    assert refusal(headers, minutes=14) is None
    assert refusal(headers, minutes=16) == "RequestTimeTooSkewed"
    assert refusal(headers, minutes=-16) == "RequestTimeTooSkewed"


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
def test_any_other_authorization_is_refused(header: str) -> None:
    assert refusal(signed() | {"authorization": header}) == "AccessDenied"


def test_a_request_without_its_time_is_refused() -> None:
    assert refusal(signed() | {"x-amz-date": "yesterday"}) == "AccessDenied"


def test_the_body_of_a_stranger_is_not_even_read() -> None:
    def body() -> bytes:
        raise AssertionError("it was read")

    with pytest.raises(Refused):
        check("POST", URL, signed(key="AKIAOTHER"), body, secrets=SECRETS.get, now=dt.datetime.now(tz=dt.UTC))
