"""Tools for the rules of specification 3. They return what a test gives them, or use files in a specified way."""

import base64
import json
import os
from pathlib import Path
from typing import Any

from jsonrpc_server import RawResult, Server

Json = dict[str, Any]

server = Server("spec3")


@server.tool
def give(output: Json, files: Json, username: str) -> Json:
    """Write files (text by name) to the user's directory, and return the output with `{username}` filled in."""
    for name, text in files.items():
        Path(f"/tmp/{username}/{name}").write_text(text)
    filled: Json = json.loads(json.dumps(output).replace("{username}", username))
    return filled


@server.tool
def give_raw(result: Json, files: Json, username: str) -> Json:
    """Do the same with a result of the protocol, which has content blocks."""
    return RawResult(give(result, files, username))


@server.tool
def give_special_path(kind: str, username: str) -> Json:
    """Return an artifact whose path is, or leads through, something other than a regular file."""
    home = Path(f"/tmp/{username}")
    name = f"{kind}.txt"
    path = home / name
    target = home / f"target of {name}"
    target.write_text("target")
    match kind:
        case "symbolic link":
            path.symlink_to(target)
        case "symbolic link above the file":
            (home / "linked").symlink_to(home)
            path = home / "linked" / target.name
        case "hard link":
            path.hardlink_to(target)
        case "directory":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
    return {"results": kind, "artifacts": [{"name": name, "path": str(path), "mime": "text/plain"}]}


@server.tool
def read_file(filename: str) -> Json:
    """Section 3.1, `filename`: return the path that the tool received, and the text of the file."""
    return _read([filename])


@server.tool
def read_files(filenames: list[str]) -> Json:
    """Section 3.1, `filenames`: return the paths that the tool received, and the texts of the files."""
    return _read(filenames)


@server.tool
def read_listed_files(file_names: list[str]) -> Json:
    """Return the same for `file_names`, the spelling of specifications 2 and 4."""
    return _read(file_names)


@server.tool
def repeat(document: str, file_name: str, paths: list[str]) -> Json:
    """Section 3.1, "Only these exact argument names": return arguments with other names."""
    return {"results": {"document": document, "file_name": file_name, "paths": paths}}


@server.tool
def tell_user(username: str) -> Json:
    """Section 3.1, username injection: return the user name that the tool received."""
    return {"results": {"username": username}}


@server.tool
def tell_process() -> Json:
    """Return the id of the tool's process."""
    return {"results": os.getpid()}


@server.tool
def list_directory(username: str) -> Json:
    """Return the files in the user's directory."""
    home = Path(f"/tmp/{username}")
    paths = (path.relative_to(home) for path in home.rglob("*") if path.is_file())
    return {"results": sorted(str(path) for path in paths if not path.parts[0].startswith("."))}


@server.tool
def write_path(path: str, username: str) -> Json:  # noqa: ARG001  (the tool may write, but only to the user's directory)
    """Section 12.2: write a file at any path."""
    Path(path).write_text("written")
    return {"results": f"wrote {path}"}


@server.tool
def write_without_username(path: str) -> Json:
    """Section 5.2, "Tools that don't use `username` parameter cannot write files": write a file at any path."""
    Path(path).write_text("written")
    return {"results": f"wrote {path}"}


@server.tool
def give_path_without_username(path: str) -> Json:
    """Return an artifact by its path from a tool that does not declare `username`."""
    return {"results": "named", "artifacts": [{"name": "named.txt", "path": path, "mime": "text/plain"}]}


@server.tool
def give_report(size: int, username: str) -> Json:
    """Section 6.2, Tool Developer Usage: return a report of this many bytes by its path."""
    path = Path(f"/tmp/{username}/quarterly_report.html")
    with path.open("wb") as file:
        for start in range(0, size, 1 << 20):
            file.write(b"x" * min(1 << 20, size - start))
    return {
        "results": {"summary": "Analysis completed successfully"},
        "artifacts": [
            {
                "name": "quarterly_report.html",
                "path": str(path),
                "mime": "text/html",
                "description": "Q3 financial analysis report",
                "category": "report",
                "auto_open": True,
            }
        ],
    }


def _read(paths: list[str]) -> Json:
    """Return the texts as base64-free results; the paths are an artifact, because links are removed from results."""
    texts = [Path(path).read_text() for path in paths]
    encoded = base64.b64encode("\n".join(paths).encode()).decode()
    received = {"name": "received_paths.txt", "b64": encoded, "mime": "text/plain"}
    return {"results": texts, "artifacts": [received]}


if __name__ == "__main__":
    server.run()
