"""The command `cdk deploy` against the emulated AWS of this machine."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from infra.sources import ROOT
from local.emulator.aws.cloud import LocalCloud
from tests.infra.deployment import resource_types
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
        resource_types.install()
        bootstrap()
        yield cloud


def deploy(cloud: LocalCloud, assembly: Path, outputs: Path) -> "subprocess.CompletedProcess[str]":
    # By name: moto would take the first number of an IP address for the name of the template's bucket.
    endpoint = cloud.endpoint_url.replace("127.0.0.1", "localhost")
    environment = (
        os.environ | cloud.environ | {"AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT_URL_S3": endpoint, "CI": "1"}
    )
    # Not with a change set, for which moto sets no outputs.
    options = ("--all", "--require-approval", "never", "--method", "direct", "--progress", "events")
    return subprocess.run(  # noqa: S603  (fixed arguments)
        [str(CDK), "deploy", "--app", str(assembly), "--outputs-file", str(outputs), *options],
        cwd=outputs.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_cdk_deploy_creates_both_stacks_and_outputs_the_url(cloud: LocalCloud, assembly: Path, tmp_path: Path) -> None:
    result = deploy(cloud, assembly, tmp_path / "outputs.json")
    assert result.returncode == 0, result.stderr
    stacks = boto3.client("cloudformation").describe_stacks()["Stacks"]
    statuses = {stack["StackName"]: stack["StackStatus"] for stack in stacks}
    assert statuses == {"satchel-data": "CREATE_COMPLETE", "satchel-service": "CREATE_COMPLETE"}
    outputs = json.loads((tmp_path / "outputs.json").read_text(encoding="utf-8"))
    assert outputs["satchel-service"]["Url"] == f"https://{outputs['satchel-service']['Distribution']}"
    assert [
        value for stack_outputs in outputs.values() for value in stack_outputs.values() if not value or "${" in value
    ] == []
