"""What was synthesised, as the command line tool reads it: templates, and the files that they name."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from local.aws.cloud import ACCOUNT, REGION

Json = dict[str, Any]
_BOOTSTRAP = "/cdk-bootstrap/hnb659fds/version"


@dataclass(frozen=True)
class Stack:
    """One stack of a folder that was synthesised."""

    folder: Path
    name: str

    @property
    def template(self) -> Json:
        """Return the parsed template."""
        return _read(self.folder / f"{self.name}.template.json")

    def code_of(self, resource: str) -> Path:
        """Return the folder with the code of a function or a layer, by its logical id."""
        properties = self.template["Resources"][resource]["Properties"]
        key = properties.get("Code", properties.get("Content"))["S3Key"]
        return self.folder / next(source for source, to in self._assets() if to["objectKey"] == key)

    def create(self) -> None:
        """Publish the files and create the stack, in moto in this process. Raises whatever a resource raises."""
        for source, to in self._assets():
            bucket = to["bucketName"].replace("${AWS::AccountId}", ACCOUNT).replace("${AWS::Region}", REGION)
            body = _body(self.folder / source)
            boto3.client("s3").put_object(Bucket=bucket, Key=to["objectKey"], Body=body)
        boto3.client("cloudformation").create_stack(
            StackName=self.name, TemplateBody=json.dumps(self.template), Capabilities=["CAPABILITY_IAM"]
        )

    def _assets(self) -> Iterator[tuple[str, Json]]:
        """Give each file or folder with the place to which it is published."""
        for asset in _read(self.folder / f"{self.name}.assets.json")["files"].values():
            yield from ((asset["source"]["path"], to) for to in asset["destinations"].values())


def bootstrap() -> None:
    """Make what ``cdk bootstrap`` makes in an account, as far as stacks need it to be created."""
    boto3.client("s3").create_bucket(Bucket=f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}")
    boto3.client("ssm").put_parameter(Name=_BOOTSTRAP, Value="30", Type="String")


def stacks_of(folder: Path) -> list[Stack]:
    """Return the stacks in the order in which they are created: the others import what the data stack exports."""
    names = sorted(path.name.removesuffix(".template.json") for path in folder.glob("*.template.json"))
    return [Stack(folder, name) for name in names]


def _body(source: Path) -> bytes:
    """Return a template as it is, a folder in a zip."""
    if source.is_file():
        return source.read_bytes()
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as archive:
        for path in _files(source):
            archive.write(path, path.relative_to(source))
    return package.getvalue()


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _read(path: Path) -> Json:
    parsed: Json = json.loads(path.read_text(encoding="utf-8"))
    return parsed
