import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import moto
import pytest
from botocore import useragent
from moto import backend_index
from moto.dynamodb.models import dynamodb_backends
from moto.moto_api._internal import mock_random
from moto.sts.models import sts_backends

from local.emulator.aws.cloud import ACCOUNT, LocalCloud

if TYPE_CHECKING:
    from mypy_boto3_sts import STSClient

OURS = ("dynamodb", "lambda", "states", "sts", "secretsmanager")


@pytest.fixture
def sts(cloud: LocalCloud) -> "STSClient":
    """One that has been asked before."""
    assert cloud.endpoint_url
    client = boto3.client("sts")
    client.get_caller_identity()
    return client


def noting(work: Callable[..., object], noted: list[object]) -> Callable[..., object]:
    def note(*given: object, **named: object) -> object:
        noted.append(given)
        return work(*given, **named)

    return note


def test_what_a_service_can_do_is_not_looked_up_again(sts: "STSClient", monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    monkeypatch.setattr(inspect, "getmembers", noting(inspect.getmembers, looked))
    assert sts.get_caller_identity()["Account"]
    assert looked == []


def test_who_asks_is_not_spelled_again(sts: "STSClient", monkeypatch: pytest.MonkeyPatch) -> None:
    agents: list[str] = []
    sts.meta.events.register("before-sign", lambda request, **_: agents.append(request.headers["User-Agent"]))
    monkeypatch.setattr(useragent, "_USERAGENT_ALLOWED_CHARACTERS", "")  # each letter would become a dash
    assert sts.get_caller_identity()["Account"]
    assert "lang/python#" in agents[0]


def test_each_answer_has_an_id_that_is_drawn_at_once(sts: "STSClient", monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []
    monkeypatch.setattr(mock_random, "get_random_string", noting(mock_random.get_random_string, drawn))
    ids = {sts.get_caller_identity()["ResponseMetadata"]["HTTPHeaders"]["x-amzn-requestid"] for _ in range(3)}
    assert len(ids) == 3
    assert drawn == []


def test_the_server_knows_whom_a_request_is_for(cloud: LocalCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    client = boto3.client("sts", endpoint_url=cloud.endpoint_url)
    assert client.get_caller_identity()["Account"]
    listed: list[object] = []
    monkeypatch.setattr(os, "listdir", noting(os.listdir, listed))
    assert client.get_caller_identity()["Account"]
    assert (str(Path(moto.__file__).parent),) not in listed


def test_the_addresses_of_a_service_are_made_once(sts: "STSClient") -> None:
    assert sts.get_caller_identity()["Account"]
    backend = sts_backends[ACCOUNT]["aws"]
    assert backend.urls is backend.urls
    assert backend.urls is not dynamodb_backends[ACCOUNT]["us-east-1"].urls


@pytest.mark.usefixtures("cloud")
@pytest.mark.parametrize("host", OURS)
def test_few_addresses_are_tried_before_ours_and_none_of_them_is_anothers(host: str) -> None:
    url = f"https://{host}.us-east-1.amazonaws.com/"
    fitting = [number for number, (_, known) in enumerate(backend_index.backend_url_patterns) if known.match(url)]
    assert len(fitting) == 1
    assert fitting[0] < 10
