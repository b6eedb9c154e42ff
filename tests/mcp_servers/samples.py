"""Tools that return output to view: files of every type, very large and hostile files, and output with problems."""

from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

from hostile_files import hostile_files as create_hostile_files
from jsonrpc_server import Server
from sample_files import FILES, png

Json = dict[str, Any]

server = Server("samples")


@server.tool
def every_kind(username: str) -> Json:
    """Return a file for every viewer."""
    return _files_output(username, FILES, {"open_canvas": True, "primary_file": "report.html"})


@server.tool
def one(username: str, name: str, mode: str = "replace") -> Json:
    """Return one of these files."""
    return _files_output(username, {name: FILES[name]}, {"open_canvas": True, "primary_file": name, "mode": mode})


@server.tool
def with_auto_open(username: str, name: str) -> Json:
    """Return three files, of which the named one has `auto_open`."""
    output = _files_output(username, {each: FILES[each] for each in {"notes.md": 0, "script.py": 1, name: 2}}, {})
    artifacts = [{**artifact, "auto_open": artifact["name"] == name} for artifact in output["artifacts"]]
    return {**output, "artifacts": artifacts, "display": {"open_canvas": False}}


@server.tool
def hostile_files(username: str, listener: str) -> Json:
    """Return files that try to run a script or to send a request to the listener."""
    return _files_output(username, create_hostile_files(listener), {"open_canvas": True})


@server.tool
def rows(username: str, count: int) -> Json:
    """Return a table with this many rows."""
    path = _folder(username) / "rows.csv"
    with path.open("w", encoding="utf-8") as out:
        out.write("id,name,value,city\n")
        for row in range(count):
            out.write(f"{row},name {row * 7919 % 1000003},{row * 31 % 977 / 7:.4f},City {row % 50}\n")
    return _large_file_output([_artifact(path, "text/csv")])


@server.tool
def lines(username: str, megabytes: int) -> Json:
    """Return a text of this many megabytes."""
    path = _folder(username) / "lines.txt"
    line = "All work and no play makes a dull log line, over and over again, and then some more.\n" * 12_500
    with path.open("w", encoding="utf-8") as out:
        out.writelines(line for _ in range(megabytes))
    return _large_file_output([_artifact(path, "text/plain")])


@server.tool
def pixels(username: str, side: int) -> Json:
    """Return a square picture with sides of this many pixels."""
    path = _folder(username) / "pixels.png"
    path.write_bytes(png(side, side, level=1))
    return _large_file_output([_artifact(path, "image/png")])


@server.tool
def dashboard(url: str, canvas_id: str = "monitor", persistence: str = "session", signer: str = "satchel") -> Json:
    """Show a dashboard, with a token of the signer: `satchel` or `server`."""
    token = "server+token/=" if signer == "server" else ""
    canvas = {"id": canvas_id, "url": url, "title": "Monitor", "persistence": persistence, "token": token}
    return {"results": {"opened": canvas_id}, "canvas": canvas}


@server.tool
def report(username: str, text: str) -> Json:
    """Return a page with this text, always under the same name."""
    path = _folder(username) / "report.html"
    path.write_text(f"<h1>{text}</h1>", encoding="utf-8")
    return {"results": {"text": text}, "artifacts": [_artifact(path, "text/html")]}


@server.tool
def letter_to_review(username: str) -> Json:
    """Return a letter that the user should read and change."""
    path = _folder(username) / "letter.md"
    path.write_text("# Dear committee", encoding="utf-8")
    steps = ["Check the date", "Send the letter to the committee"]
    deferral = {"reason": "needs_editing", "next_actions": steps, "expires_hours": 5, "description": "A first draft"}
    return {"results": 1, "deferred_artifacts": [_artifact(path, "text/markdown") | deferral]}


@server.tool
def partly_refused(username: str, filename: str) -> Json:
    """Return facts, two files that cannot be stored and a dashboard of an unknown site; write outside the workspace."""
    with suppress(OSError):
        Path("/etc/satchel-sample").write_text(username, encoding="utf-8")
    return {
        "results": {"filename": filename},
        "meta_data": {"rows": 3, "source": {"name": "PubMed"}},
        "artifacts": [
            {"name": "garbled.png", "mime": "image/png", "b64": "not base64!"},
            {"name": "outside.txt", "mime": "text/plain", "path": "/etc/hostname"},
        ],
        "canvas": {"id": "elsewhere", "url": "https://elsewhere.example/board"},
    }


@server.tool
def text_results(text: str) -> Json:
    """Return the text as the result."""
    return {"results": text}


@server.tool
def with_viewer(name: str, mime: str, text: str, viewer: str) -> Json:
    """Return one file and the viewer that should show it."""
    artifact = {"name": name, "mime": mime, "b64": b64encode(text.encode()).decode()}
    display = {"open_canvas": True, "primary_file": name, "viewer_hint": viewer}
    return {"results": 1, "artifacts": [artifact], "display": display}


def _files_output(username: str, files: dict[str, tuple[str, bytes]], display: Json) -> Json:
    artifacts = []
    for number, (name, (mime, body)) in enumerate(files.items()):
        path = _folder(username) / f"file-{number}"
        path.write_bytes(body)
        artifacts.append({"name": name, "path": str(path), "mime": mime})
    return {"results": {"files": len(artifacts)}, "artifacts": artifacts, "display": display}


def _large_file_output(artifacts: list[Json]) -> Json:
    return {"results": {"files": len(artifacts)}, "artifacts": artifacts, "display": {"open_canvas": True}}


def _artifact(path: Path, mime: str) -> Json:
    return {"name": path.name, "path": str(path), "mime": mime}


def _folder(username: str) -> Path:
    return Path(f"/tmp/{username}")


if __name__ == "__main__":
    server.run()
