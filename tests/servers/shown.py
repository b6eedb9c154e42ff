"""Tools whose files are looked at: one of every kind, very large ones, and those that wish the page ill."""

from pathlib import Path
from typing import Any

from files import FILES, png
from hostile import hostile
from plain import Server

Json = dict[str, Any]

server = Server("shown")


@server.tool
def every_kind(username: str) -> Json:
    """Make a file for every viewer."""
    return _made(username, FILES, {"open_canvas": True, "primary_file": "report.html"})


@server.tool
def one(username: str, name: str, mode: str = "replace") -> Json:
    """Make one of those files."""
    return _made(username, {name: FILES[name]}, {"open_canvas": True, "primary_file": name, "mode": mode})


@server.tool
def asking_to_be_opened(username: str, name: str) -> Json:
    """Make three of those files, of which that one asks to be opened."""
    made = _made(username, {each: FILES[each] for each in {"notes.md": 0, "script.py": 1, name: 2}}, {})
    artifacts = [{**artifact, "auto_open": artifact["name"] == name} for artifact in made["artifacts"]]
    return {**made, "artifacts": artifacts, "display": {"open_canvas": False}}


@server.tool
def ill_meant(username: str, listener: str) -> Json:
    """Make files that would run a script or ask the listener for something, if they could."""
    return _made(username, hostile(listener), {"open_canvas": True})


@server.tool
def rows(username: str, count: int) -> Json:
    """Make a table of so many rows."""
    path = _folder(username) / "rows.csv"
    with path.open("w", encoding="utf-8") as out:
        out.write("id,name,value,city\n")
        for at in range(count):
            out.write(f"{at},name {at * 7919 % 1000003},{at * 31 % 977 / 7:.4f},City {at % 50}\n")
    return _shown([_artifact(path, "text/csv")])


@server.tool
def lines(username: str, megabytes: int) -> Json:
    """Make a text of so many megabytes."""
    path = _folder(username) / "lines.txt"
    line = "All work and no play makes a dull log line, over and over again, and then some more.\n" * 12_500
    with path.open("w", encoding="utf-8") as out:
        out.writelines(line for _ in range(megabytes))
    return _shown([_artifact(path, "text/plain")])


@server.tool
def pixels(username: str, side: int) -> Json:
    """Make a picture with sides of so many pixels."""
    path = _folder(username) / "pixels.png"
    path.write_bytes(png(side, side, level=1))
    return _shown([_artifact(path, "image/png")])


@server.tool
def dashboard(url: str, canvas_id: str = "monitor", persistence: str = "session") -> Json:
    """Show a dashboard."""
    canvas = {"id": canvas_id, "url": url, "title": "Monitor", "persistence": persistence, "token": "<wanted>"}
    return {"results": {"opened": canvas_id}, "canvas": canvas}


def _made(username: str, files: dict[str, tuple[str, bytes]], display: Json) -> Json:
    artifacts = []
    for number, (name, (mime, body)) in enumerate(files.items()):
        path = _folder(username) / f"made-{number}"
        path.write_bytes(body)
        artifacts.append({"name": name, "path": str(path), "mime": mime})
    return {"results": {"made": len(artifacts)}, "artifacts": artifacts, "display": display}


def _shown(artifacts: list[Json]) -> Json:
    return {"results": {"made": len(artifacts)}, "artifacts": artifacts, "display": {"open_canvas": True}}


def _artifact(path: Path, mime: str) -> Json:
    return {"name": path.name, "path": str(path), "mime": mime}


def _folder(username: str) -> Path:
    return Path(f"/tmp/{username}")


if __name__ == "__main__":
    server.run()
