"""A session with files on one machine, exported into an archive."""

import random
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from tests.e2e.system_process import ROOT, environment, running_system
from tests.e2e.user_client import UserClient
from tests.e2e.user_data import UserData, read_data

CSV = b"region,units\nnorth,3\nsouth,4\n"
LARGE_BYTES = 12 << 20


@dataclass(frozen=True)
class MovedData:
    """The archive, its user, what the user had on the first machine, and a link to a file there."""

    archive: Path
    user: UserClient
    data: UserData
    link: str

    def as_user(self, url: str) -> UserClient:
        """Return the user at another machine."""
        return replace(self.user, url=url)


def export_session(folder: Path, name: str) -> MovedData:
    """Let a user chat, upload and create a report on a machine with data in ``folder``, and export its data."""
    with running_system(settings={"SATCHEL_DATA": str(folder / "first")}) as system:
        user = UserClient(system.url, name)
        user.wait_for_tools()
        session = user.create_session(title="Sales")
        user.upload(session, "sales.csv", CSV)
        user.upload(None, "large.bin", random.Random(1).randbytes(LARGE_BYTES))  # noqa: S311  (not for security)
        user.ask(session, '/report.summarise {"filename": "sales.csv"}')
        user.ask(user.create_session(title="Other"), '/calculator.evaluate {"expression": "2+3"}')
        [file] = [file for file in user.request("GET", "/api/files").json()["files"] if file["name"] == "sales.csv"]
        link = user.request("POST", f"/api/files/{file['file_key']}/link").json()["url"]
        moved = MovedData(folder / "data.tar", user, read_data(user), link.removeprefix(system.url))
    process = start_data_command(folder / "first", "export", str(moved.archive))
    output, _ = process.communicate()
    assert process.returncode == 0, output
    return moved


def start_data_command(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Start ``satchel data …`` with a data folder. Its output is text with the errors."""
    command = [sys.executable, "-m", "local.cli.main", "data", *arguments]
    return subprocess.Popen(  # noqa: S603  (our own command)
        command,
        cwd=ROOT,
        env=environment({"SATCHEL_DATA": str(folder)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def interrupt_at_first_content(process: "subprocess.Popen[str]", folder: Path) -> None:
    """Kill an import as soon as it has begun to write a content. Do nothing if it ends before."""
    while process.poll() is None and not any(path.is_file() for path in (folder / "objects").rglob("*")):
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate()
