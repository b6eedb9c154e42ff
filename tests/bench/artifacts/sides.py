"""The two ways from a tool's raw result to the store, and the results to send along them."""

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
# As many as S3Files has: on a busy machine more threads would only be given more of it.
AS_MANY_CONNECTIONS = TransferConfig(max_concurrency=2)

Kind = Literal["inline", "path"]
SideName = Literal["satchel", "bare"]
Raw = Mapping[str, Any]
Way = Callable[["S3Client", Raw, Path], None]


def total(kind: Kind) -> int:
    """Return how many bytes a result of this kind has to bring into the store."""
    return INLINE_FILES * INLINE_BYTES if kind == "inline" else PATH_BYTES


def raw_result(kind: Kind, workspace: Path) -> Raw:
    """Return a result as a server sends it; what it names by path lies in ``workspace``, a sparse file."""
    if kind == "inline":
        return _result([_inline(f"{number}.bin", INLINE_BYTES) for number in range(INLINE_FILES)])
    with (workspace / "big.bin").open("wb") as file:
        file.truncate(PATH_BYTES)
    return _result([{"name": "big.bin", "mime": MIME, "path": str(workspace / "big.bin")}])


def small_result() -> Raw:
    """Return what opens the connection and loads what is loaded only once."""
    return _result([_inline("small.bin", 1000)])


def satchel(client: "S3Client", raw: Raw, workspace: Path) -> None:
    """Normalise and store, as a runner does. Raises ValueError if anything was not kept."""
    keep = StoreArtifacts(S3Files(client, BUCKET), open_artifact, PATH_BYTES)
    _, problems = keep(order(), workspace, normalize(raw))
    if problems:
        raise ValueError(str(problems))


def bare(client: "S3Client", raw: Raw, workspace: Path) -> None:
    """Decode and upload with as little as boto3 lets one do it; nothing is checked that the decoder does not check."""
    del workspace
    for artifact in raw["structuredContent"]["artifacts"]:
        if "path" in artifact:
            kind = {"ContentType": artifact["mime"]}
            client.upload_file(artifact["path"], BUCKET, artifact["name"], ExtraArgs=kind, Config=AS_MANY_CONNECTIONS)
        else:
            body = pybase64.b64decode(artifact["b64"], validate=True)
            client.put_object(Bucket=BUCKET, Key=artifact["name"], Body=body, ContentType=artifact["mime"])


SIDES: dict[SideName, Way] = {"satchel": satchel, "bare": bare}


def _inline(name: str, size: int) -> dict[str, str]:
    return {"name": name, "mime": MIME, "b64": pybase64.b64encode_as_string(os.urandom(size))}


def _result(artifacts: list[dict[str, str]]) -> Raw:
    return {"content": [], "structuredContent": {"results": "made", "artifacts": artifacts}}
