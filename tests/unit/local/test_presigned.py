import datetime as dt
import re
from urllib.parse import urlsplit, urlunsplit

import pytest
from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.aws.presigned import check, check_preflight
from local.aws.signatures import Refused

SECRETS = {"AKIATEST": "secret"}
URL = "http://127.0.0.1:4566/bucket/alice/uploads/a%20b.csv?response-content-type=text%2Fcsv"


def signed(method: str = "GET", key: str = "AKIATEST", secret: str = SECRETS["AKIATEST"], **headers: str) -> str:
    """Return URL with a signature for 60 seconds."""
    request = AWSRequest(method=method, url=URL, headers={name.replace("_", "-"): v for name, v in headers.items()})
    S3SigV4QueryAuth(Credentials(key, secret), "s3", "us-east-1", expires=60).add_auth(request)
    return str(request.url)


def refusal(url: str, method: str = "GET", after: float = 0, **headers: str) -> str | None:
    """Return the code with which a request is refused so many seconds ``after`` it was signed, or None."""
    signed_at = re.search(r"X-Amz-Date=(\d{8}T\d{6}Z)", url)
    now = dt.datetime.strptime(signed_at[1], "%Y%m%dT%H%M%S%z") if signed_at else dt.datetime.now(tz=dt.UTC)
    sent = {"host": "127.0.0.1:4566", **{name.replace("_", "-"): value for name, value in headers.items()}}
    try:
        check(method, url, sent, secrets=SECRETS.get, now=now + dt.timedelta(seconds=after))
    except Refused as error:
        return error.code
    return None


def test_what_was_signed_is_admitted_and_may_carry_more_headers() -> None:
    assert refusal(signed(), range="bytes=0-1") is None


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
def test_an_altered_url_is_refused(part: str, other: str) -> None:
    url = signed()
    assert part in url
    assert refusal(url.replace(part, other)) == "SignatureDoesNotMatch"


def test_an_added_parameter_is_refused() -> None:
    assert refusal(signed() + "&versionId=1") == "SignatureDoesNotMatch"


def test_a_url_is_for_its_method_alone() -> None:
    assert refusal(signed("GET"), "PUT") == "SignatureDoesNotMatch"
    assert refusal(signed("GET"), "HEAD") == "SignatureDoesNotMatch"
    assert refusal(signed("PUT"), "PUT") is None


def test_a_signed_content_type_is_fixed() -> None:
    url = signed("PUT", content_type="text/csv")
    assert refusal(url, "PUT", content_type="text/csv") is None
    assert refusal(url, "PUT", content_type="text/html") == "SignatureDoesNotMatch"
    assert refusal(url, "PUT") == "SignatureDoesNotMatch"


def test_a_url_ends_with_its_time() -> None:
    assert refusal(signed(), after=59.9) is None
    assert refusal(signed(), after=60) == "AccessDenied"


def test_a_url_from_the_future_is_refused() -> None:
    assert refusal(signed(), after=-1000) == "AccessDenied"


def test_another_hosts_url_is_refused() -> None:
    moved = urlunsplit(urlsplit(signed())._replace(netloc="127.0.0.1:9999"))
    assert refusal(moved, host="127.0.0.1:9999") == "SignatureDoesNotMatch"


def test_a_key_that_does_not_exist_is_refused_and_a_wrong_secret_too() -> None:
    assert refusal(signed(key="AKIAOTHER")) == "InvalidAccessKeyId"
    assert refusal(signed(secret="guess")) == "SignatureDoesNotMatch"


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
def test_a_malformed_signature_is_refused(part: str, other: str, code: str) -> None:
    url = signed()
    assert part in url
    assert refusal(url.replace(part, other)) == code


def test_an_unsigned_url_is_refused() -> None:
    assert refusal(URL) == "AccessDenied"


def test_a_preflight_is_answered_for_a_url_that_is_in_force() -> None:
    now = dt.datetime.now(tz=dt.UTC)
    check_preflight(signed("PUT", content_type="text/csv"), secrets=SECRETS.get, now=now)
    for url, at in [(URL, now), (signed(key="AKIAOTHER"), now), (signed(), now + dt.timedelta(minutes=2))]:
        with pytest.raises(Refused):
            check_preflight(url, secrets=SECRETS.get, now=at)


def test_a_signature_for_another_service_opens_nothing() -> None:
    assert refusal(signed().replace("%2Fs3%2F", "%2Fdynamodb%2F")) == "InvalidAccessKeyId"
