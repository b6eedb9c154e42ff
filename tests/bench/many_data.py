"""A data folder with many items and files: copies of those that a real session leaves behind."""

import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path

from local.emulator.data.folder import DataFolder, Statement
from tests.e2e.system_process import running_system, serve_command
from tests.e2e.user_client import UserClient

ITEMS, FILES = 20_000, 10_000
_CSV = b"region,units\nnorth,3\nsouth,4\n"


def fill_folder(path: Path) -> None:
    """Run a session in a new folder, and copy its items and files under other keys."""
    with running_system(serve_command(), settings={"SATCHEL_DATA": str(path)}) as system:
        user = UserClient(system.url, "bench@example.com")
        session = user.create_session(title="Sales")
        user.upload(session, "sales.csv", _CSV)
        user.ask(session, '/report.summarise {"filename": "sales.csv"}')
    with DataFolder(path) as folder:
        items = folder.read("SELECT pk, sk, attributes FROM items")
        objects = folder.read("SELECT key, version, content, state FROM objects WHERE content IS NOT NULL")
        folder.write(
            [*_copied_items(items, ITEMS - len(items)), *_copied_objects(folder, objects, FILES - len(objects))]
        )


def _copied_items(items: list[tuple[str, ...]], count: int) -> Iterator[Statement]:
    for number, (pk, sk, attributes) in enumerate(itertools.islice(itertools.cycle(items), count)):
        copied = f"{pk}.{number // len(items)}"
        text = json.dumps(json.loads(attributes) | {"pk": {"S": copied}})
        yield "INSERT INTO items VALUES (?, ?, ?)", (copied, sk, text)


def _copied_objects(folder: DataFolder, objects: list[tuple[str, ...]], count: int) -> Iterator[Statement]:
    for number, (key, version, content, state) in enumerate(itertools.islice(itertools.cycle(objects), count)):
        name = f"{number:032x}"[::-1]
        folder.content_path(name).parent.mkdir(exist_ok=True)
        os.link(folder.content_path(content), folder.content_path(name))
        row = (1_000_000 + number, f"{key}.{number}", version, name, state)
        yield "INSERT INTO objects VALUES (?, ?, ?, ?, ?)", row
