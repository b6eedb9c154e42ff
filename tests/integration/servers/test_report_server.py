from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from PIL import Image

from tests.integration.servers.conftest import somebody
from tests.integration.servers.conversation import Progress, Server, User, payload, python, refusal

CSV = b"region,units,price\n" + b"".join(b"%s,%d,%d.5\n" % ([b"north", b"south"][n % 2], n, n) for n in range(100_000))
MOMENTS = ("rows read", "Writing the report")


@dataclass(frozen=True)
class Work:
    """One report, the first of a server that had to load all for it: what came of it, and of lists asked for meanwhile.

    ``ended`` says in which order they ended.
    """

    server: Server
    user: User
    result: dict[str, Any]
    progress: list[Progress]
    ended: list[str]


@pytest.fixture(scope="module")
def work(servers: Callable[[str], Server]) -> Iterator[Work]:
    server, progress, ended = servers("report"), list[Progress](), list[str]()
    results: list[dict[str, Any]] = []

    async def all_at_once(user: User) -> None:
        asked = {moment: anyio.Event() for moment in MOMENTS}

        def hear(told: Progress) -> None:
            progress.append(told)
            for moment in MOMENTS:
                if moment in str(told[2]):
                    asked[moment].set()

        async def report() -> None:
            path = user.upload("sales.csv", CSV)
            results.append(await server.session.call("summarise", hear, filename=path, username=user.name))
            ended.append("work")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(report)
            for moment in MOMENTS:
                await asked[moment].wait()
                await server.session.client.list_tools()
                ended.append(moment)

    with somebody() as user:
        server.portal.call(all_at_once, user)
        yield Work(server, user, results[0], progress, ended)


@pytest.fixture
def server(work: Work) -> Server:
    """One that has worked before."""
    return work.server


def test_a_report_and_a_chart_are_made_in_the_users_folder(work: Work) -> None:
    (tool,) = work.server.tools()
    assert (tool.name, tool.input_schema["required"]) == ("summarise", ["filename", "username"])

    made, folder = payload(work.result), work.user.folder
    assert made["results"] == {
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
    assert made["meta_data"].pop("elapsed_ms") > 0
    assert made["meta_data"] == {"delimiter": ",", "ragged_rows": 0, "columns_not_listed": 0}
    assert made["artifacts"] == [
        {
            "name": "sales_report.html",
            "path": f"/tmp/{work.user.name}/sales_report.html",
            "mime": "text/html",
            "description": "Report on sales.csv",
            "category": "report",
            "viewer": "html",
        },
        {
            "name": "sales_chart.png",
            "path": f"/tmp/{work.user.name}/sales_chart.png",
            "mime": "image/png",
            "description": "Chart of sales.csv",
            "category": "visualization",
            "viewer": "image",
        },
    ]
    assert made["display"] == {
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


def test_progress_grows_and_says_what_is_done(work: Work) -> None:
    seen = work.progress
    assert 10 <= len(seen) <= 20
    assert seen == sorted(set(seen))
    assert {total for _, total, _ in seen} == {100}
    assert [message for _, _, message in seen][-2:] == ["100,000 rows read", "Writing the report"]


def test_the_server_answers_others_while_it_works(work: Work) -> None:
    assert work.ended == [*MOMENTS, "work"]


def test_what_cannot_be_summarised_is_refused_with_a_sentence_and_makes_no_file(server: Server, user: User) -> None:
    def refused(name: str, content: bytes) -> str:
        return refusal(server.call("summarise", filename=user.upload(name, content), username=user.name))

    assert refused("empty.csv", b"") == "empty.csv is empty."
    assert refused("photo.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").startswith(
        "photo.csv is not a CSV file but binary data."
    )
    assert refusal(server.call("summarise", filename="unknown.csv", username=user.name)) == (
        "unknown.csv cannot be read: No such file or directory."
    )
    assert [path.name for path in user.folder.iterdir()] == ["input_files"]


def test_names_of_any_length_and_script_are_served(server: Server, user: User) -> None:
    path = user.upload("ü" * 125 + ".csv", "販売,$x$\n1,2\n".encode())
    made = payload(server.call("summarise", filename=path, username=user.name))
    assert [artifact["name"] for artifact in made["artifacts"]] == [
        "ü" * 100 + "_report.html",
        "ü" * 100 + "_chart.png",
    ]


def test_a_header_alone_makes_a_report_without_a_chart(server: Server, user: User) -> None:
    made = payload(server.call("summarise", filename=user.upload("a.csv", b"a,b\n"), username=user.name))
    assert (made["results"]["rows"], [artifact["name"] for artifact in made["artifacts"]]) == (0, ["a_report.html"])


def test_a_list_of_the_tools_does_not_wait_for_matplotlib() -> None:
    program = "import sys; sys.path.insert(0, '.'); import main; sys.exit('matplotlib' in sys.modules)"

    assert python("-c", program, server="report").returncode == 0
