"""The two measured variants of storing the artifacts of a raw result, and the raw results."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pybase64
from boto3.s3.transfer import TransferConfig

from satchel.adapters.s3_files import S3Files
from satchel.adapters.workspace_files import open_artifact
from satchel.contract import normalize
from satchel.services.calls.store_artifacts import StoreArtifacts
from tests.unit.services.orders import order

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MIB = 1 << 20
BUCKET = "bucket"
MIME = "application/octet-stream"
INLINE_FILES = 20
INLINE_BYTES = MIB
PATH_BYTES = 100 * MIB
# The number of connections of S3Files. On a busy machine, more threads would only get a larger share of the CPU.
SAME_CONNECTIONS = TransferConfig(max_concurrency=2)

Kind = Literal["inline", "path"]
VariantName = Literal["satchel", "bare"]
Raw = Mapping[str, Any]
StoreVariant = Callable[["S3Client", Raw, Path], None]


def total_bytes(kind: Kind) -> int:
    """Return the number of bytes that the store receives for a result of this kind."""
    return INLINE_FILES * INLINE_BYTES if kind == "inline" else PATH_BYTES


def raw_result(kind: Kind, workspace: Path) -> Raw:
    """Return a raw result of a server. A file with a path is a sparse file in ``workspace``."""
    if kind == "inline":
        return _result([_inline(f"{number}.bin", INLINE_BYTES) for number in range(INLINE_FILES)])
    with (workspace / "big.bin").open("wb") as file:
        file.truncate(PATH_BYTES)
    return _result([{"name": "big.bin", "mime": MIME, "path": str(workspace / "big.bin")}])


def small_result() -> Raw:
    """Return a result for the warm-up, which opens the connection and loads the lazy imports."""
    return _result([_inline("small.bin", 1000)])


def satchel(client: "S3Client", raw: Raw, workspace: Path) -> None:
    """Normalize the result and store its artifacts, as a runner does. Raises ValueError if one was not stored."""
    store_artifacts = StoreArtifacts(S3Files(client, BUCKET), open_artifact, PATH_BYTES)
    _, problems = store_artifacts(order(), workspace, normalize(raw))
    if problems:
        raise ValueError(str(problems))


def bare(client: "S3Client", raw: Raw, workspace: Path) -> None:
    """Decode and upload the artifacts with boto3 alone. Only the decoder checks anything."""
    del workspace
    for artifact in raw["structuredContent"]["artifacts"]:
        if "path" in artifact:
            extra = {"ContentType": artifact["mime"]}
            client.upload_file(artifact["path"], BUCKET, artifact["name"], ExtraArgs=extra, Config=SAME_CONNECTIONS)
        else:
            body = pybase64.b64decode(artifact["b64"], validate=True)
            client.put_object(Bucket=BUCKET, Key=artifact["name"], Body=body, ContentType=artifact["mime"])


VARIANTS: dict[VariantName, StoreVariant] = {"satchel": satchel, "bare": bare}


def _inline(name: str, size: int) -> dict[str, str]:
    return {"name": name, "mime": MIME, "b64": pybase64.b64encode_as_string(os.urandom(size))}


def _result(artifacts: list[dict[str, str]]) -> Raw:
    return {"content": [], "structuredContent": {"results": "done", "artifacts": artifacts}}
