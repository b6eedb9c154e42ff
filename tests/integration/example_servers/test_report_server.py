from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from PIL import Image

from tests.integration.example_servers.conftest import new_user
from tests.integration.example_servers.server_process import Progress, Server, User, error_message, payload, python

CSV = b"region,units,price\n" + b"".join(b"%s,%d,%d.5\n" % ([b"north", b"south"][n % 2], n, n) for n in range(100_000))
PROGRESS_MESSAGES = ("rows read", "Writing the report")


@dataclass(frozen=True)
class ReportRun:
    """The first report of a server, during which it also answers requests for its tool list.

    ``finished`` lists the requests in the order of their responses.
    """

    server: Server
    user: User
    result: dict[str, Any]
    progress: list[Progress]
    finished: list[str]


@pytest.fixture(scope="module")
def run(servers: Callable[[str], Server]) -> Iterator[ReportRun]:
    server, progress, finished = servers("report"), list[Progress](), list[str]()
    results: list[dict[str, Any]] = []

    async def run_concurrently(user: User) -> None:
        seen_events = {message: anyio.Event() for message in PROGRESS_MESSAGES}

        def on_progress(notification: Progress) -> None:
            progress.append(notification)
            for message in PROGRESS_MESSAGES:
                if message in str(notification[2]):
                    seen_events[message].set()

        async def report() -> None:
            path = user.upload("sales.csv", CSV)
            results.append(await server.session.call("summarise", on_progress, filename=path, username=user.name))
            finished.append("report")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(report)
            for message in PROGRESS_MESSAGES:
                await seen_events[message].wait()
                await server.session.client.list_tools()
                finished.append(message)

    with new_user() as user:
        server.portal.call(run_concurrently, user)
        yield ReportRun(server, user, results[0], progress, finished)


@pytest.fixture
def server(run: ReportRun) -> Server:
    """The report server, after its first report."""
    return run.server


def test_report_and_chart_are_written_to_the_users_folder(run: ReportRun) -> None:
    tool, explorer = run.server.tools()
    assert (explorer.name, (explorer.meta or {})["ui"]) == ("explore", {"resourceUri": "ui://report/explorer.html"})
    assert (tool.name, tool.input_schema["required"]) == ("summarise", ["filename", "username"])

    output, folder = payload(run.result), run.user.folder
    assert output["results"] == {
        "file": "sales.csv",
        "rows": 100_000,
        "columns": 3,
        "summary": [
            {"column": "region", "type": "text", "empty": 0, "distinct": 2},
            {
                "column": "units",
                "type": "number",
                "empty": 0,
                "min": 0,
                "mean": 49999.5,
                "max": 99999,
                "sum": 4999950000,
            },
            {
                "column": "price",
                "type": "number",
                "empty": 0,
                "min": 0.5,
                "mean": 50000,
                "max": 99999.5,
                "sum": 5000000000,
            },
        ],
    }
    assert output["meta_data"].pop("elapsed_ms") > 0
    assert output["meta_data"] == {"delimiter": ",", "ragged_rows": 0, "columns_not_listed": 0}
    assert output["artifacts"] == [
        {
            "name": "sales_report.html",
            "path": f"/tmp/{run.user.name}/sales_report.html",
            "mime": "text/html",
            "description": "Report on sales.csv",
            "category": "report",
            "viewer": "html",
        },
        {
            "name": "sales_chart.png",
            "path": f"/tmp/{run.user.name}/sales_chart.png",
            "mime": "image/png",
            "description": "Chart of sales.csv",
            "category": "visualization",
            "viewer": "image",
        },
    ]
    assert output["display"] == {
        "open_canvas": True,
        "primary_file": "sales_report.html",
        "mode": "replace",
        "viewer_hint": "html",
    }

    assert sorted(path.name for path in folder.iterdir()) == [
        "input_files",
        "sales_chart.png",
        "sales_report.html",
    ]
    assert "<dd>100,000</dd>" in (folder / "sales_report.html").read_text(encoding="utf-8")
    with Image.open(folder / "sales_chart.png") as chart:
        assert chart.format == "PNG"
        chart.load()


def test_progress_increases_and_has_messages(run: ReportRun) -> None:
    seen = run.progress
    assert 10 <= len(seen) <= 20
    assert seen == sorted(set(seen))
    assert {total for _, total, _ in seen} == {100}
    assert [message for _, _, message in seen][-2:] == ["100,000 rows read", "Writing the report"]


def test_server_answers_other_requests_during_a_report(run: ReportRun) -> None:
    assert run.finished == [*PROGRESS_MESSAGES, "report"]


def test_invalid_files_return_an_error_message_and_write_nothing(server: Server, user: User) -> None:
    def refused(name: str, content: bytes) -> str:
        return error_message(server.call("summarise", filename=user.upload(name, content), username=user.name))

    assert refused("empty.csv", b"") == "empty.csv is empty."
    assert refused("photo.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").startswith(
        "photo.csv is not a CSV file but binary data."
    )
    assert error_message(server.call("summarise", filename="unknown.csv", username=user.name)) == (
        "unknown.csv cannot be read: No such file or directory."
    )
    assert [path.name for path in user.folder.iterdir()] == ["input_files"]


def test_long_and_non_ascii_file_names_work(server: Server, user: User) -> None:
    path = user.upload("ü" * 125 + ".csv", "販売,$x$\n1,2\n".encode())
    output = payload(server.call("summarise", filename=path, username=user.name))
    assert [artifact["name"] for artifact in output["artifacts"]] == [
        "ü" * 100 + "_report.html",
        "ü" * 100 + "_chart.png",
    ]


def test_file_with_only_a_header_makes_a_report_without_a_chart(server: Server, user: User) -> None:
    output = payload(server.call("summarise", filename=user.upload("a.csv", b"a,b\n"), username=user.name))
    assert (output["results"]["rows"], [artifact["name"] for artifact in output["artifacts"]]) == (0, ["a_report.html"])


def test_tools_list_does_not_import_matplotlib() -> None:
    program = "import sys; sys.path.insert(0, '.'); import main; sys.exit('matplotlib' in sys.modules)"

    assert python("-c", program, server="report").returncode == 0
