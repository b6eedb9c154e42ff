"""An in-process moto cloud for each test module, with a table and a bucket from the definitions in ``infra``."""

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from moto import mock_aws

from local.emulator.aws.moto_patches import (
    direct_requests,
    dynamodb_expressions,
    dynamodb_queries,
    dynamodb_transactions,
    request_routing,
    s3_multipart,
    s3_objects,
    service_models,
)

DEFINITIONS = Path(__file__).parents[3] / "infra" / "definitions"
REGION = "us-east-1"
ACCOUNT = "123456789012"


def definition(name: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((DEFINITIONS / f"{name}.json").read_text())
    return parsed


@contextmanager
def moto_cloud(*, direct: bool = False) -> Iterator[None]:
    """Run moto, without the AWS profile and the endpoints of the environment or an earlier test.

    By default, each request is an HTTP message, as on AWS. With ``direct``, requests for items of DynamoDB are not, as
    in the local emulator, and cost half as much. That is for tests of what is above the adapters.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("AWS_ENDPOINT_URL", "AWS_PROFILE"))]:
            patch.delenv(name)
        patch.setenv("AWS_DEFAULT_REGION", REGION)
        dynamodb_transactions.install()  # moto's are neither isolated nor atomic with several threads
        s3_objects.install()  # the same problem
        for module in (request_routing, dynamodb_queries, dynamodb_expressions, service_models):
            module.install()  # only for speed
        s3_multipart.install()  # moto does not check the parts of an upload, or list them correctly
        make_request = direct_requests.make_direct_request if direct else direct_requests.make_http_request
        patch.setattr(BaseClient, "_make_request", make_request)
        with mock_aws():
            yield


def make_table() -> str:
    name = f"table-{uuid.uuid4().hex[:12]}"
    settings = {key: value for key, value in definition("table").items() if key != "TimeToLiveSpecification"}
    boto3.client("dynamodb").create_table(TableName=name, **settings)
    return name


def make_bucket() -> str:
    name = f"bucket-{uuid.uuid4().hex[:12]}"
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket=name)
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration=definition("bucket")["VersioningConfiguration"])
    return name
