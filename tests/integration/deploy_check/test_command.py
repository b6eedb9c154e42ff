"""The command as a process, against moto's server: what it prints and its exit codes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

COMMAND = [sys.executable, "-m", "local.cli.main", "deploy-check"]
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def run(folder: Path, *options: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
    path = {"PYTHONPATH": f"{ROOT / 'layers/core/python'}{os.pathsep}{ROOT}", "HOME": str(folder)}
    return subprocess.run(  # noqa: S603  (ours)
        [*COMMAND, *options],
        cwd=folder,
        env={**inherited, **path, **environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )


def credentials(endpoint: str) -> dict[str, str]:
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    return {**keys, "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": endpoint}


def test_command_exits_with_1_while_something_fails_and_with_0_after(endpoint: str, tmp_path: Path) -> None:
    (tmp_path / "cdk.json").write_text(json.dumps({"context": {"name": "team"}}))
    failed = run(tmp_path, **credentials(endpoint))
    assert (failed.returncode, failed.stderr) == (1, "")
    assert "deployment team in account 123456789012, region eu-central-1" in failed.stdout
    assert "-> npx cdk bootstrap" in failed.stdout
    template = {
        "Resources": {"Queue": {"Type": "AWS::SQS::Queue"}},
        "Outputs": {"BootstrapVersion": {"Value": "30"}},
    }
    client = boto3.Session("test", "test", region_name="eu-central-1").client("cloudformation", endpoint_url=endpoint)
    client.create_stack(StackName="CDKToolkit", TemplateBody=json.dumps(template))
    passed = run(tmp_path, "--quiet", "-c", "name=other", **credentials(endpoint))
    assert passed.returncode == 0
    assert "deployment other in" in passed.stdout
    assert "warning  the account has no CloudFront distribution" in passed.stdout
    assert "ok  " not in passed.stdout
    assert "0 will fail, 1 warnings" in passed.stdout


def test_unknown_setting_exits_with_2_and_a_hint(endpoint: str, tmp_path: Path) -> None:
    result = run(tmp_path, "-c", "modell=offline", **credentials(endpoint))
    assert (result.returncode, result.stdout) == (2, "")
    assert "unknown setting 'modell': did you mean 'model'?" in result.stderr


def test_missing_region_and_credentials_exit_with_2(tmp_path: Path) -> None:
    without_metadata = {"AWS_EC2_METADATA_DISABLED": "true"}
    no_region = run(tmp_path, **without_metadata)
    assert (no_region.returncode, no_region.stdout) == (2, "")
    assert "no region: export AWS_REGION=" in no_region.stderr
    no_credentials = run(tmp_path, AWS_REGION="eu-central-1", **without_metadata)
    assert (no_credentials.returncode, no_credentials.stdout) == (2, "")
    assert "no valid credentials for eu-central-1" in no_credentials.stderr
