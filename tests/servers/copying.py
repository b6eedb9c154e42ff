"""A tool that takes a file of any size and returns one of the same size."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from plain import Server, Talk

server = Server("copying")
PIECE = 1 << 20
EVERY = 64  # pieces between two words


@server.tool
def copy(filename: str, username: str, talk: Talk) -> dict[str, object]:
    """Copy a file and say what its bytes hash to."""
    source, target = Path(filename), Path(f"/tmp/{username}/copy of {Path(filename).name}")
    digest, done = hashlib.sha256(), 0
    for copied in copying(source, target, digest):
        done += copied
        if done % (EVERY * PIECE) == 0:
            talk.progress(done)
    artifact = {"name": target.name, "path": str(target), "mime": "application/octet-stream"}
    return {"results": {"sha256": digest.hexdigest(), "size": done}, "artifacts": [artifact]}


def copying(source: Path, target: Path, digest: "hashlib._Hash") -> Iterator[int]:
    """Copy piece by piece, and tell the size of each."""
    with source.open("rb") as coming, target.open("wb") as going:
        for piece in iter(lambda: coming.read(PIECE), b""):
            digest.update(piece)
            yield going.write(piece)


if __name__ == "__main__":
    server.run()
