"""Server with many kinds of legitimate work. Most of them write a file in the workspace and read it back."""

import asyncio
import multiprocessing
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from fastmcp import FastMCP

mcp = FastMCP("honest_work")
HELPER = Path(__file__).with_name("helper.sh")


def csv(workspace: Path) -> Any:  # noqa: ANN401  (any data that is read back)
    import pandas as pd  # type: ignore[import-untyped]  # noqa: PLC0415  (no types; slow, and few tools need it)

    pd.DataFrame({"a": [1, 2]}).to_csv(workspace / "t.csv", index=False)
    return pd.read_csv(workspace / "t.csv")["a"].tolist()


def parquet(workspace: Path) -> Any:  # noqa: ANN401  (the same)
    import pandas as pd  # noqa: PLC0415  (the same)

    pd.DataFrame({"a": [1, 2]}).to_parquet(workspace / "t.parquet")
    return pd.read_parquet(workspace / "t.parquet")["a"].tolist()


def numpy(workspace: Path) -> Any:  # noqa: ANN401  (the same)
    import numpy as np  # noqa: PLC0415  (the same)

    np.save(workspace / "a.npy", np.arange(3) @ np.ones((3, 3)))
    return np.load(workspace / "a.npy").tolist()


def matplotlib(workspace: Path) -> Any:  # noqa: ANN401  (the same)
    import matplotlib as mpl  # noqa: PLC0415  (the same)

    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415  (the same)

    plt.plot([1, 3, 2])
    plt.title("Über Größe")
    plt.savefig(workspace / "plot.png")
    return (workspace / "plot.png").read_bytes()[:4].hex()


def sqlite(workspace: Path) -> list[Any]:
    with sqlite3.connect(workspace / "t.db") as database:
        database.execute("pragma journal_mode=wal")
        database.execute("create table if not exists t(a)")
        database.execute("insert into t values (1)")
    return database.execute("select distinct a from t").fetchall()


def temporary_files(_: Path) -> list[Any]:
    with tempfile.NamedTemporaryFile("w+") as file, tempfile.TemporaryDirectory() as directory:
        file.write("x")
        shutil.copy2(file.name, f"{directory}/copy")
        return [Path(directory, "copy").exists(), tempfile.SpooledTemporaryFile(1).write(b"xx")]


def archives(workspace: Path) -> list[str]:
    (workspace / "in").mkdir(exist_ok=True)
    (workspace / "in/a.txt").write_text("x")
    with zipfile.ZipFile(workspace / "a.zip", "w") as packed:
        packed.write(workspace / "in/a.txt", "a.txt")
    zipfile.ZipFile(workspace / "a.zip").extractall(workspace / "from-zip")
    with tarfile.open(workspace / "a.tar.gz", "w:gz") as packed:
        packed.add(workspace / "in", "in")
    with tarfile.open(workspace / "a.tar.gz") as archive:
        archive.extractall(workspace / "from-tar", filter="data")
    return sorted(str(path.relative_to(workspace)) for path in workspace.glob("from-*/**/*.txt"))


def helper(workspace: Path) -> str:
    output = subprocess.run([HELPER, workspace / "helped"], check=True, capture_output=True, text=True).stdout
    return output + (workspace / "helped").read_text()


def copied_helper(workspace: Path) -> str:
    copy = workspace / "unpacked"
    shutil.copy(HELPER, copy)
    copy.chmod(0o755)
    return subprocess.run([copy, workspace / "helped"], check=True, capture_output=True, text=True).stdout


def new_interpreter(workspace: Path) -> str:
    code = "import json, sys; open(sys.argv[1], 'w').write('x'); print(json.dumps([1]))"
    return subprocess.run(
        [sys.executable, "-c", code, workspace / "by-python"], check=True, capture_output=True, text=True
    ).stdout


def asyncio_tasks(_: Path) -> list[str]:
    async def both() -> list[str]:
        process = await asyncio.create_subprocess_exec("echo", "from a process", stdout=asyncio.subprocess.PIPE)
        output, _ = await process.communicate()
        return [output.decode().strip(), await asyncio.to_thread(lambda: "from a thread")]

    return asyncio.run(both())


def threads(workspace: Path) -> int:
    def write(number: int) -> None:
        (workspace / f"thread-{number}").write_text("x")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(50)))
    lone = threading.Thread(target=write, args=(50,))
    lone.start()
    lone.join()
    return len(list(workspace.glob("thread-*")))


def forked_worker(workspace: Path) -> list[Any]:
    context = multiprocessing.get_context("fork")
    parent, child = context.Pipe()
    worker = context.Process(target=_work, args=(child, str(workspace / "by-worker")))
    worker.start()
    answer = parent.recv()
    worker.join()
    return [answer, worker.exitcode]


def _work(pipe: Any, path: str) -> None:  # noqa: ANN401  (a multiprocessing connection)
    Path(path).write_text("x")
    pipe.send(sum(range(10)))


def time_zones(_: Path) -> str:
    return str(ZoneInfo("Europe/Berlin"))


def moves(workspace: Path) -> list[str]:
    (workspace / "one/two").mkdir(parents=True, exist_ok=True)
    (workspace / "one/two/a").write_text("x")
    (workspace / "one/two/a").rename(workspace / "moved")
    (workspace / "link").unlink(missing_ok=True)
    (workspace / "link").symlink_to("moved")
    (workspace / "moved").touch()
    shutil.rmtree(workspace / "one")
    return sorted(path.name for path in workspace.iterdir() if path.name in {"one", "moved", "link"})


KINDS: dict[str, Callable[[Path], Any]] = {
    kind.__name__: kind
    for kind in (
        csv,
        parquet,
        numpy,
        matplotlib,
        sqlite,
        temporary_files,
        archives,
        helper,
        copied_helper,
        new_interpreter,
    )
} | {kind.__name__: kind for kind in (asyncio_tasks, threads, forked_worker, time_zones, moves)}


@mcp.tool
def work(kind: str, directory: str, username: str) -> dict[str, Any]:
    """Do one kind of work."""
    return {"results": KINDS[kind](Path(directory))}


if __name__ == "__main__":
    mcp.run()
