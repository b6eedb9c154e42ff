"""Tool that copies a file of any size."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from jsonrpc_server import CallContext, Server

server = Server("file_copy")
CHUNK_SIZE = 1 << 20
CHUNKS_PER_REPORT = 64


@server.tool
def copy(filename: str, username: str, context: CallContext) -> dict[str, object]:
    """Copy a file and return its SHA-256 hash and size."""
    source, target = Path(filename), Path(f"/tmp/{username}/copy of {Path(filename).name}")
    digest, copied = hashlib.sha256(), 0
    for size in copy_chunks(source, target, digest):
        copied += size
        if copied % (CHUNKS_PER_REPORT * CHUNK_SIZE) == 0:
            context.progress(copied)
    artifact = {"name": target.name, "path": str(target), "mime": "application/octet-stream"}
    return {"results": {"sha256": digest.hexdigest(), "size": copied}, "artifacts": [artifact]}


def copy_chunks(source: Path, target: Path, digest: "hashlib._Hash") -> Iterator[int]:
    """Copy the file in chunks, add each chunk to ``digest`` and yield its size."""
    with source.open("rb") as reader, target.open("wb") as writer:
        for chunk in iter(lambda: reader.read(CHUNK_SIZE), b""):
            digest.update(chunk)
            yield writer.write(chunk)


if __name__ == "__main__":
    server.run()
