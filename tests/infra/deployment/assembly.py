"""The cloud assembly: the synthesized templates and their assets, read as the cdk command does."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from local.emulator.aws.cloud import ACCOUNT, REGION

Json = dict[str, Any]
_BOOTSTRAP = "/cdk-bootstrap/hnb659fds/version"


@dataclass(frozen=True)
class Stack:
    """One stack of the assembly in ``folder``."""

    folder: Path
    name: str

    @property
    def template(self) -> Json:
        """Return the parsed template."""
        return _read(self.folder / f"{self.name}.template.json")

    def code_of(self, resource: str) -> Path:
        """Return the folder with the code of a function or layer, by its logical id."""
        properties = self.template["Resources"][resource]["Properties"]
        key = properties.get("Code", properties.get("Content"))["S3Key"]
        return self.folder / next(source for source, destination in self._assets() if destination["objectKey"] == key)

    def create(self) -> None:
        """Publish the assets and create the stack, in moto in this process. Raises what creating a resource raises."""
        for source, destination in self._assets():
            bucket = destination["bucketName"].replace("${AWS::AccountId}", ACCOUNT).replace("${AWS::Region}", REGION)
            body = _body(self.folder / source)
            boto3.client("s3").put_object(Bucket=bucket, Key=destination["objectKey"], Body=body)
        boto3.client("cloudformation").create_stack(
            StackName=self.name, TemplateBody=json.dumps(self.template), Capabilities=["CAPABILITY_IAM"]
        )

    def _assets(self) -> Iterator[tuple[str, Json]]:
        """Yield each file or folder with its destination."""
        for asset in _read(self.folder / f"{self.name}.assets.json")["files"].values():
            path = asset["source"]["path"]
            yield from ((path, destination) for destination in asset["destinations"].values())


def bootstrap() -> None:
    """Create the resources of ``cdk bootstrap`` that stacks need for their creation."""
    boto3.client("s3").create_bucket(Bucket=f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}")
    boto3.client("ssm").put_parameter(Name=_BOOTSTRAP, Value="30", Type="String")


def stacks_of(folder: Path) -> list[Stack]:
    """Return the stacks in the order of their creation: the service stack imports exports of the data stack."""
    names = sorted(path.name.removesuffix(".template.json") for path in folder.glob("*.template.json"))
    return [Stack(folder, name) for name in names]


def _body(source: Path) -> bytes:
    """Return a file as it is, or a folder as a zip archive."""
    if source.is_file():
        return source.read_bytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in _files(source):
            archive.write(path, path.relative_to(source))
    return buffer.getvalue()


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _read(path: Path) -> Json:
    parsed: Json = json.loads(path.read_text(encoding="utf-8"))
    return parsed
