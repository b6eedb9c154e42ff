from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.emulator.aws.cloud import LocalCloud
from satchel.adapters import clients

pytestmark = pytest.mark.usefixtures("cloud")


@contextmanager
def sent_by(client: Any) -> Iterator[list[str]]:  # noqa: ANN401  (a client of any service)
    """Note with what a client says who it is."""
    noted: list[str] = []

    def note(request: AWSRequest, **_: object) -> None:
        noted.append(str(request.headers["Authorization"]))

    client.meta.events.register("before-send", note)
    try:
        yield noted
    finally:
        client.meta.events.unregister("before-send", note)


def test_a_request_that_is_answered_in_this_process_names_its_key_alone() -> None:
    client = boto3.client("sts", aws_access_key_id="AKIASOMEBODY", aws_secret_access_key="x", aws_session_token="t")
    with sent_by(client) as noted:
        client.get_caller_identity()
    (said,) = noted
    assert "Credential=AKIASOMEBODY/" in said
    assert "/us-east-1/sts/aws4_request" in said
    assert "Signature=" not in said


def test_a_request_to_the_loopback_server_is_signed(cloud: LocalCloud) -> None:
    there = boto3.client("dynamodb", endpoint_url=cloud.endpoint_url)
    for client, ask in ((there, there.list_tables), (clients.s3(), clients.s3().list_buckets)):
        with sent_by(client) as noted:
            ask()
        assert "Signature=" in noted[0]


def test_a_request_to_a_model_of_aws_is_signed() -> None:
    request = AWSRequest("POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/any/converse", data=b"{}")
    SigV4Auth(Credentials("AKIASOMEBODY", "x"), "bedrock", "us-east-1").add_auth(request)
    assert "Signature=" in request.headers["Authorization"]
