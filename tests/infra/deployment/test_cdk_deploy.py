"""The command that people deploy with, against AWS as this machine has it."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from infra.sources import ROOT
from local.aws.cloud import LocalCloud
from tests.infra.deployment import types
from tests.infra.deployment.assembly import bootstrap

CDK = ROOT / "node_modules" / ".bin" / "cdk"
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.synth,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not CDK.exists() or shutil.which("node") is None, reason="needs Node and `npm ci`"),
]


@pytest.fixture
def cloud() -> Iterator[LocalCloud]:
    with LocalCloud() as cloud:
        types.install()
        bootstrap()
        yield cloud


def deploy(cloud: LocalCloud, assembly: Path, outputs: Path) -> "subprocess.CompletedProcess[str]":
    # By name: of an address moto would take the first number for the name of the template's bucket.
    endpoint = cloud.endpoint_url.replace("127.0.0.1", "localhost")
    environment = (
        os.environ | cloud.environ | {"AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT_URL_S3": endpoint, "CI": "1"}
    )
    # Not by a change set: moto fills no outputs of those.
    choice = ("--all", "--require-approval", "never", "--method", "direct", "--progress", "events")
    return subprocess.run(  # noqa: S603  (the pinned command of this checkout)
        [str(CDK), "deploy", "--app", str(assembly), "--outputs-file", str(outputs), *choice],
        cwd=outputs.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_cdk_deploy_creates_both_stacks_and_tells_where_the_api_is(
    cloud: LocalCloud, assembly: Path, tmp_path: Path
) -> None:
    done = deploy(cloud, assembly, tmp_path / "outputs.json")
    assert done.returncode == 0, done.stderr
    stacks = boto3.client("cloudformation").describe_stacks()["Stacks"]
    made = {stack["StackName"]: stack["StackStatus"] for stack in stacks}
    assert made == {"satchel-data": "CREATE_COMPLETE", "satchel-service": "CREATE_COMPLETE"}
    told = json.loads((tmp_path / "outputs.json").read_text(encoding="utf-8"))
    assert told["satchel-service"]["Url"] == f"https://{told['satchel-service']['Distribution']}"
    assert [value for outputs in told.values() for value in outputs.values() if not value or "${" in value] == []
