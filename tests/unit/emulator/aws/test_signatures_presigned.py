import datetime as dt
import re
from urllib.parse import urlsplit, urlunsplit

import pytest
from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.emulator.aws.signatures import RequestRejected, check_preflight, check_presigned_url

SECRETS = {"AKIATEST": "secret"}
URL = "http://127.0.0.1:4566/bucket/alice/uploads/a%20b.csv?response-content-type=text%2Fcsv"


def signed(method: str = "GET", key: str = "AKIATEST", secret: str = SECRETS["AKIATEST"], **headers: str) -> str:
    """Return URL with a signature that is valid for 60 seconds."""
    request = AWSRequest(method=method, url=URL, headers={name.replace("_", "-"): v for name, v in headers.items()})
    S3SigV4QueryAuth(Credentials(key, secret), "s3", "us-east-1", expires=60).add_auth(request)
    return str(request.url)


def error_code(url: str, method: str = "GET", after: float = 0, **headers: str) -> str | None:
    """Return the error code of a request that is sent ``after`` seconds after signing, or None if it is accepted."""
    signed_at = re.search(r"X-Amz-Date=(\d{8}T\d{6}Z)", url)
    now = dt.datetime.strptime(signed_at[1], "%Y%m%dT%H%M%S%z") if signed_at else dt.datetime.now(tz=dt.UTC)
    sent = {"host": "127.0.0.1:4566", **{name.replace("_", "-"): value for name, value in headers.items()}}
    try:
        check_presigned_url(method, url, sent, secret_of=SECRETS.get, now=now + dt.timedelta(seconds=after))
    except RequestRejected as error:
        return error.code
    return None


def test_signed_url_is_accepted_with_additional_headers() -> None:
    assert error_code(signed(), range="bytes=0-1") is None


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("a%20b.csv", "c.csv"),
        ("/bucket/", "/bucket2/"),
        ("text%2Fcsv", "text%2Fhtml"),
        ("X-Amz-Expires=60", "X-Amz-Expires=6000"),
        ("us-east-1", "eu-west-1"),
        ("SignedHeaders=host", "SignedHeaders="),
    ],
)
def test_altered_url_is_rejected(part: str, other: str) -> None:
    url = signed()
    assert part in url
    assert error_code(url.replace(part, other)) == "SignatureDoesNotMatch"


def test_added_parameter_is_rejected() -> None:
    assert error_code(signed() + "&versionId=1") == "SignatureDoesNotMatch"


def test_url_is_only_valid_for_its_method() -> None:
    assert error_code(signed("GET"), "PUT") == "SignatureDoesNotMatch"
    assert error_code(signed("GET"), "HEAD") == "SignatureDoesNotMatch"
    assert error_code(signed("PUT"), "PUT") is None


def test_signed_content_type_cannot_be_changed() -> None:
    url = signed("PUT", content_type="text/csv")
    assert error_code(url, "PUT", content_type="text/csv") is None
    assert error_code(url, "PUT", content_type="text/html") == "SignatureDoesNotMatch"
    assert error_code(url, "PUT") == "SignatureDoesNotMatch"


def test_expired_url_is_rejected() -> None:
    assert error_code(signed(), after=59.9) is None
    assert error_code(signed(), after=60) == "AccessDenied"


def test_url_from_the_future_is_rejected() -> None:
    assert error_code(signed(), after=-1000) == "AccessDenied"


def test_url_of_another_host_is_rejected() -> None:
    moved = urlunsplit(urlsplit(signed())._replace(netloc="127.0.0.1:9999"))
    assert error_code(moved, host="127.0.0.1:9999") == "SignatureDoesNotMatch"


def test_unknown_key_and_wrong_secret_are_rejected() -> None:
    assert error_code(signed(key="AKIAOTHER")) == "InvalidAccessKeyId"
    assert error_code(signed(secret="guess")) == "SignatureDoesNotMatch"


@pytest.mark.parametrize(
    ("part", "other", "code"),
    [
        ("X-Amz-Expires=60", "X-Amz-Expires=soon", "AuthorizationQueryParametersError"),
        ("X-Amz-Expires=60", "X-Amz-Expires=-1", "AuthorizationQueryParametersError"),
        ("X-Amz-Expires=60", "X-Amz-Expires=604801", "AuthorizationQueryParametersError"),
        ("X-Amz-Date=2", "X-Amz-Date=x", "AuthorizationQueryParametersError"),
        ("aws4_request", "aws4", "InvalidAccessKeyId"),
        ("X-Amz-Signature=", "Signature=", "AccessDenied"),
        ("X-Amz-Signature=", "X-Amz-Signature=%C3%A9", "SignatureDoesNotMatch"),
    ],
)
def test_malformed_signature_is_rejected(part: str, other: str, code: str) -> None:
    url = signed()
    assert part in url
    assert error_code(url.replace(part, other)) == code


def test_unsigned_url_is_rejected() -> None:
    assert error_code(URL) == "AccessDenied"


def test_preflight_is_accepted_only_for_a_valid_url() -> None:
    now = dt.datetime.now(tz=dt.UTC)
    check_preflight(signed("PUT", content_type="text/csv"), secret_of=SECRETS.get, now=now)
    for url, at in [(URL, now), (signed(key="AKIAOTHER"), now), (signed(), now + dt.timedelta(minutes=2))]:
        with pytest.raises(RequestRejected):
            check_preflight(url, secret_of=SECRETS.get, now=at)


def test_signature_for_another_service_is_rejected() -> None:
    assert error_code(signed().replace("%2Fs3%2F", "%2Fdynamodb%2F")) == "InvalidAccessKeyId"
