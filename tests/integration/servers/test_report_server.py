from pathlib import Path

import anyio
import pytest
from PIL import Image

from tests.integration.servers.conversation import Session, User, converse, payload, python, refusal

CSV = b"region,units,price\n" + b"".join(b"%s,%d,%d.5\n" % ([b"north", b"south"][n % 2], n, n) for n in range(100_000))


def test_a_report_and_a_chart_are_made_in_the_users_folder(user: User, tmp_path: Path) -> None:
    async def talk(session: Session) -> None:
        (tool,) = (await session.client.list_tools()).tools
        assert (tool.name, tool.input_schema["required"]) == ("summarise", ["filename", "username"])

        made = payload(await session.call("summarise", filename=user.upload("sales.csv", CSV), username=user.name))
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
                "path": f"/tmp/{user.name}/sales_report.html",
                "mime": "text/html",
                "description": "Report on sales.csv",
                "category": "report",
                "viewer": "html",
            },
            {
                "name": "sales_chart.png",
                "path": f"/tmp/{user.name}/sales_chart.png",
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

    converse("report", talk, tmp_path)

    assert sorted(path.name for path in user.folder.iterdir()) == [
        "input_files",
        "sales_chart.png",
        "sales_report.html",
    ]
    assert "<dd>100,000</dd>" in (user.folder / "sales_report.html").read_text(encoding="utf-8")
    with Image.open(user.folder / "sales_chart.png") as chart:
        assert chart.format == "PNG"
        chart.load()


def test_progress_grows_and_says_what_is_done(user: User, tmp_path: Path) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def talk(session: Session) -> None:
        await session.call("summarise", filename=user.upload("sales.csv", CSV), username=user.name)
        seen.extend(session.progress)

    converse("report", talk, tmp_path)

    assert 10 <= len(seen) <= 20
    assert seen == sorted(set(seen))
    assert {total for _, total, _ in seen} == {100}
    assert [message for _, _, message in seen][-2:] == ["100,000 rows read", "Writing the report"]


@pytest.mark.parametrize("moment", ["rows read", "Writing the report"])
def test_the_server_answers_others_while_it_works(user: User, tmp_path: Path, moment: str) -> None:
    ended: list[str] = []

    async def talk(session: Session) -> None:
        async def work() -> None:
            await session.call("summarise", filename=user.upload("sales.csv", CSV), username=user.name)
            ended.append("work")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(work)
            while not any(moment in str(message) for _, _, message in session.progress):
                await anyio.lowlevel.checkpoint()
            await session.client.list_tools()
            ended.append("list")

    converse("report", talk, tmp_path)

    assert ended == ["list", "work"]


def test_what_cannot_be_summarised_is_refused_with_a_sentence_and_makes_no_file(user: User, tmp_path: Path) -> None:
    async def talk(session: Session) -> None:
        async def refused(name: str, content: bytes) -> str:
            return refusal(await session.call("summarise", filename=user.upload(name, content), username=user.name))

        assert await refused("empty.csv", b"") == "empty.csv is empty."
        assert (await refused("photo.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")).startswith(
            "photo.csv is not a CSV file but binary data."
        )
        assert refusal(await session.call("summarise", filename="unknown.csv", username=user.name)) == (
            "unknown.csv cannot be read: No such file or directory."
        )

    converse("report", talk, tmp_path)

    assert [path.name for path in user.folder.iterdir()] == ["input_files"]


def test_names_of_any_length_and_script_are_served(user: User, tmp_path: Path) -> None:
    long = "ü" * 125 + ".csv"

    async def talk(session: Session) -> None:
        made = payload(
            await session.call("summarise", filename=user.upload(long, "販売,$x$\n1,2\n".encode()), username=user.name)
        )
        assert [artifact["name"] for artifact in made["artifacts"]] == [
            "ü" * 100 + "_report.html",
            "ü" * 100 + "_chart.png",
        ]

    converse("report", talk, tmp_path)


def test_a_header_alone_makes_a_report_without_a_chart(user: User, tmp_path: Path) -> None:
    async def talk(session: Session) -> None:
        made = payload(await session.call("summarise", filename=user.upload("a.csv", b"a,b\n"), username=user.name))
        assert (made["results"]["rows"], [artifact["name"] for artifact in made["artifacts"]]) == (0, ["a_report.html"])

    converse("report", talk, tmp_path)


def test_a_list_of_the_tools_does_not_wait_for_matplotlib() -> None:
    program = "import sys; sys.path.insert(0, '.'); import main; sys.exit('matplotlib' in sys.modules)"

    assert python("-c", program, server="report").returncode == 0
