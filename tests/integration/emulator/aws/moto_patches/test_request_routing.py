import inspect
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import backends
from moto.core import base_backend
from moto.core.base_backend import BackendDict
from moto.dynamodb.models import dynamodb_backends
from moto.sts.models import sts_backends

from local.emulator.aws.cloud import ACCOUNT, LocalCloud

if TYPE_CHECKING:
    from mypy_boto3_sts import STSClient


@pytest.fixture
def sts(cloud: LocalCloud) -> "STSClient":
    """A client that has sent a request."""
    assert cloud.endpoint_url
    client = boto3.client("sts")
    client.get_caller_identity()
    return client


def test_second_request_does_not_inspect_the_service_class(sts: "STSClient", monkeypatch: pytest.MonkeyPatch) -> None:
    inspected: list[object] = []
    get_members = inspect.getmembers

    def record_call(*args: object, **kwargs: object) -> object:
        inspected.append(args)
        return get_members(*args, **kwargs)  # type: ignore[call-overload]  # the arguments of getmembers

    monkeypatch.setattr(inspect, "getmembers", record_call)
    assert sts.get_caller_identity()["Account"]
    assert inspected == []


def test_url_patterns_of_a_service_are_computed_once(sts: "STSClient") -> None:
    assert sts.get_caller_identity()["Account"]
    backend = sts_backends[ACCOUNT]["aws"]
    assert backend.urls is backend.urls
    assert backend.urls is not dynamodb_backends[ACCOUNT]["us-east-1"].urls


def test_second_request_over_http_does_not_list_moto_modules(
    cloud: LocalCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3 = boto3.client("s3", endpoint_url=cloud.endpoint_url)
    s3.list_buckets()
    listings: list[str] = []

    def list_modules() -> list[str]:
        listings.append("listed")
        return ["s3"]

    monkeypatch.setattr(backends, "list_of_moto_modules", list_modules)
    assert s3.list_buckets()["Buckets"] == []
    assert listings == []


def test_second_request_does_not_take_the_lock_of_all_services(
    sts: "STSClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_backend, "backend_lock", None)  # entering None would fail
    assert sts.get_caller_identity()["Account"]


@pytest.mark.usefixtures("sts")
def test_service_used_again_after_a_reset_belongs_to_the_next_reset() -> None:
    for _ in range(2):
        roles: list[Any] = sts_backends[ACCOUNT]["aws"].assumed_roles
        assert roles == []
        roles.append("made before the reset")
        BackendDict.reset()
    assert sts_backends[ACCOUNT]["aws"].assumed_roles == []
