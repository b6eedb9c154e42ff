"""The witness run (docs/deploy-witness.md). Its tests are collected only by ``make witness``."""

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from infra.sources import ROOT
from tests.witness.shell import Shell, shell
from tests.witness.stand_in import REGION, StandIn, stand_in

PYTHON = os.environ.get("SATCHEL_WITNESS_PYTHON", "")

collect_ignore_glob = [] if PYTHON else ["test_*.py"]


@dataclass(frozen=True)
class Operator:
    """Someone who follows the documentation: a shell in a copy of the checkout, and the replacement for AWS."""

    shell: Shell
    checkout: Path
    aws: StandIn

    def client(self, service: str, key: tuple[str, str] | None = None) -> Any:  # noqa: ANN401  (a boto3 client)
        """Return a client with this access key and secret, by default the administrator's."""
        environ = self.aws.environ
        key_id, secret = key or (environ["AWS_ACCESS_KEY_ID"], environ["AWS_SECRET_ACCESS_KEY"])
        session = boto3.Session(aws_access_key_id=key_id, aws_secret_access_key=secret, region_name=REGION)
        config = Config(proxies={"https": self.aws.proxy})
        return session.client(service, config=config, verify=str(self.aws.authorities))  # type: ignore[call-overload]  # any service


@pytest.fixture(scope="session")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    folder = tmp_path_factory.mktemp("witness")
    python = Path(PYTHON).absolute()
    checkout = copy_checkout(folder / "checkout")
    tools = folder / "bin"
    tools.mkdir()
    (tools / "aws").symlink_to(python.with_name("aws"))
    needed = [Path(found).parent for found in (sys._base_executable, shutil.which("node")) if found]  # type: ignore[attr-defined]  # noqa: SLF001
    inherited = {key: value for key, value in os.environ.items() if key == "HOME" or key.startswith(("PIP_", "UV_"))}
    path = {"PATH": ":".join(map(str, (tools, *needed, "/usr/bin", "/bin"))), "CI": "1"}
    with (
        stand_in(folder, python) as aws,
        shell(checkout, {**inherited, **path, **aws.environ}, folder / "output") as started,
    ):
        yield Operator(started, checkout, aws)


def copy_checkout(folder: Path) -> Path:
    """Copy all files that git has or would add. Set the architecture of this machine, so that functions can run."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(  # noqa: S603  (fixed arguments)
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    config = json.loads((folder / "cdk.json").read_text(encoding="utf-8"))
    architecture = "arm64" if platform.machine() in {"aarch64", "arm64"} else "x86_64"
    (folder / "cdk.json").write_text(json.dumps(config | {"context": {"architecture": architecture}}))
    return folder
