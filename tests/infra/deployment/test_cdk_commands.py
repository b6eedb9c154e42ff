"""The commands of docs/deploy.md: each runs the app of cdk.json with the settings of cdk.json and of the option -c."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra.sources import ROOT, SITE
from local.emulator.aws.cloud import ACCOUNT, REGION, LocalCloud
from tests.infra.deployment import resource_types

CDK = ROOT / "node_modules" / ".bin" / "cdk"
NODE = shutil.which("node")
CERTIFICATE = f"arn:aws:acm:us-east-1:{ACCOUNT}:certificate/one"
IN_FILE = {"name": "foo", "alarm_email": "ops@example.com"}
IN_OPTIONS = ("-c", "model=offline-two", "-c", "domain=chat.example.com", "-c", f"certificate_arn={CERTIFICATE}")
SETTINGS = {
    **IN_FILE,
    "model": "offline-two",
    "domain": "chat.example.com",
    "certificate_arn": CERTIFICATE,
}
READY = ("--old-file=.venv/dev.stamp", "--old-file=web/dist/index.html")
"""Options for make: the virtual environment and the page exist, so it must not make them again."""
RECORDER = """\
import json, os, pathlib, shutil
shutil.copytree({assembly!r}, os.environ["CDK_OUTDIR"], dirs_exist_ok=True)
pathlib.Path({record!r}).write_text(os.environ["CDK_CONTEXT_JSON"])
"""
"""A program in place of app.py that stores its settings and has the ready templates of a fixture as its result."""

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.synth,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not CDK.exists() or NODE is None, reason="needs Node and `npm ci`"),
]


@dataclass(frozen=True)
class Checkout:
    """A folder like this checkout, with settings in its cdk.json. Its PATH has Node, but no virtual environment."""

    folder: Path
    environ: Mapping[str, str]

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        home = {key: value for key, value in os.environ.items() if key in {"HOME", "TMPDIR", "XDG_CACHE_HOME"}}
        bare = {"PATH": f"{Path(str(NODE)).parent}:/usr/bin:/bin", "CI": "1", **home}
        return subprocess.run(  # noqa: S603  (fixed arguments)
            command,
            cwd=self.folder,
            env={**bare, **self.environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


def checkout(folder: Path, environ: Mapping[str, str] | None = None) -> Checkout:
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name not in {"cdk.json", "cdk.out", ".git"}:
            (folder / path.name).symlink_to(path)
    config = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))
    (folder / "cdk.json").write_text(json.dumps(config | {"context": IN_FILE}))
    return Checkout(folder, environ or {})


@pytest.fixture
def cloud() -> Iterator[LocalCloud]:
    with LocalCloud() as cloud:
        resource_types.install()
        yield cloud


def variables(template: Mapping[str, Any], function: str) -> dict[str, str]:
    (found,) = (
        resource["Properties"]["Environment"]["Variables"]
        for resource in template["Resources"].values()
        if resource.get("Properties", {}).get("Description") == f"functions/{function}"
    )
    return dict(found)


def test_every_cdk_command_runs_the_app_with_all_settings(cloud: LocalCloud, assembly: Path, tmp_path: Path) -> None:
    # By name: moto would take the first number of an IP address for the name of the template's bucket.
    endpoint = cloud.endpoint_url.replace("127.0.0.1", "localhost")
    here = checkout(
        tmp_path / "checkout", {**cloud.environ, "AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT_URL_S3": endpoint}
    )
    record = tmp_path / "context.json"
    (here.folder / "app.py").unlink()
    (here.folder / "app.py").write_text(RECORDER.format(assembly=str(assembly), record=str(record)))
    # With a change set, which is the default, moto sets no outputs. Comparing two templates needs none either.
    without_change_set = ("--method", "direct", "--progress", "events")
    commands = (
        ("bootstrap",),
        ("synth", "--quiet"),
        ("diff", "--all", "--method", "template"),
        ("deploy", "--all", "--require-approval", "never", "--outputs-file", "outputs.json", *without_change_set),
        ("destroy", "--all", "--force"),
    )
    stacks: dict[str, dict[str, str]] = {}
    for command in commands:
        record.unlink(missing_ok=True)
        result = here.run("npx", "--no-install", "cdk", *command, *IN_OPTIONS)
        assert result.returncode == 0, result.stderr
        context = json.loads(record.read_text(encoding="utf-8"))
        assert {key: context[key] for key in SETTINGS} == SETTINGS, command
        described = boto3.client("cloudformation", region_name=REGION).describe_stacks()["Stacks"]
        stacks[command[0]] = {stack["StackName"]: stack["StackStatus"] for stack in described}
    assert stacks["diff"] == {"CDKToolkit": "CREATE_COMPLETE"}
    deployed = {"satchel-data": "CREATE_COMPLETE", "satchel-service": "CREATE_COMPLETE"}
    assert stacks["deploy"] == stacks["diff"] | deployed
    assert stacks["destroy"] == stacks["diff"]
    outputs = json.loads((here.folder / "outputs.json").read_text(encoding="utf-8"))
    assert outputs["satchel-service"]["Url"] == f"https://{outputs['satchel-service']['Distribution']}"
    assert [value for each in outputs.values() for value in each.values() if not value or "${" in value] == []


@pytest.mark.skipif(not (SITE / "index.html").exists(), reason="needs the built page")
def test_make_synth_applies_the_settings_of_cdk_json_and_of_the_command(tmp_path: Path) -> None:
    here = checkout(tmp_path / "checkout", {"CDK_VALIDATION": "false"})  # tests.infra.conftest explains this
    # With this selection, cdk builds no layers: the data stack has none. Both templates are still written.
    result = here.run("make", *READY, "synth", f"CDK=--exclusively foo-data {shlex.join(IN_OPTIONS)}")
    assert result.returncode == 0, result.stderr
    templates = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in (here.folder / "cdk.out").glob("*.template.json")
    }
    assert templates.keys() == {"foo-data.template.json", "foo-service.template.json"}
    service = templates["foo-service.template.json"]
    assert variables(service, "think")["SATCHEL_MODEL"] == "offline-two"
    assert variables(service, "api")["SATCHEL_PUBLIC_URL"] == "https://chat.example.com"
    emails = [
        each["Properties"]["Endpoint"]
        for each in service["Resources"].values()
        if each["Type"] == "AWS::SNS::Subscription"
    ]
    assert emails == ["ops@example.com"]
    assert len(service["Resources"]) < 400


def test_app_refuses_to_run_without_the_cdk_command(tmp_path: Path) -> None:
    result = checkout(tmp_path / "checkout").run(".venv/bin/python", "app.py")
    assert result.returncode == 1
    assert result.stderr == "app.py gets its settings from the cdk command: run `make synth` or `npx cdk synth`\n"
