"""The entries of mcp.json, and finding a tool's server by its table."""

from typing import Any

import pytest
from pydantic import ValidationError

from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.timing import Limits


@pytest.mark.clause("v4:registry:entry")
def test_the_entry_of_the_specification_works_unchanged() -> None:
    entry = ServerEntry.model_validate(
        {
            "command": ["python", "mcp/MyExampleServer/main.py"],
            "cwd": "backend",
            "groups": ["users"],
            "description": "An example server with a simple tool.",
        }
    )
    assert entry.file_mode_for("my_tool") == "path"
    assert (entry.strict_files, entry.enabled, entry.collect) == (False, True, "all")


@pytest.mark.parametrize("entry", [{}, {"command": ["a"], "url": "https://a.example"}, {"command": []}])
def test_a_server_has_exactly_one_way_in(entry: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ServerEntry.model_validate(entry)


def test_a_key_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(ValidationError, match="comand"):
        ServerEntry.model_validate({"comand": ["python"], "url": "https://a.example"})


@pytest.mark.parametrize("memory", [0, 127, 10_241])
def test_memory_is_what_a_function_can_have(memory: int) -> None:
    with pytest.raises(ValidationError):
        ServerEntry(command=["a"], memory_mb=memory)


@pytest.mark.clause("v4:files:urls")
@pytest.mark.parametrize(
    ("entry", "way"),
    [
        (ServerEntry(command=["a"]), "path"),
        (ServerEntry(url="https://a.example"), "url"),
        (ServerEntry(command=["a"], files="url"), "url"),
        (ServerEntry(url="https://a.example", files="path"), "path"),
        (ServerEntry(command=["a"], files={"fetch": "url"}), "url"),
        (ServerEntry(command=["a"], files={"other": "url"}), "path"),
        (ServerEntry(url="https://a.example", files={"fetch": "path", "other": "url"}), "path"),
    ],
)
def test_files_go_by_path_over_stdio_and_by_address_over_http_unless_it_is_said(entry: ServerEntry, way: str) -> None:
    assert entry.file_mode_for("fetch") == way


def test_the_hash_changes_with_what_decides_the_tools_and_with_nothing_else() -> None:
    entry = ServerEntry(command=["a"], cwd="/x", env={"MODE": "1"})
    same = entry.model_copy(update={"groups": ["admins"], "description": "d", "memory_mb": 512, "auth_token": "t"})
    others: list[dict[str, Any]] = [{"command": ["b"]}, {"cwd": "/y"}, {"env": {"MODE": "2"}}]
    assert same.config_hash() == entry.config_hash()
    assert len({entry.model_copy(update=other).config_hash() for other in [{}, *others]}) == 4


def test_an_entry_names_the_variables_that_are_to_be_filled_in() -> None:
    near = ServerEntry(command=["${NO}"], env={"A": "${ONE}-${TWO}", "B": "$THREE"}, description="${NO}")
    far = ServerEntry(url="https://${HOST}/mcp", auth_token="${TOKEN}")
    assert (near.variables, far.variables) == ({"ONE", "TWO"}, {"HOST", "TOKEN"})


USUAL = Limits(silence=40, notices=(10, 20, 30), max_seconds=600)


@pytest.mark.parametrize(
    ("own", "limits"),
    [
        ({}, USUAL),
        ({"max_seconds": 60}, Limits(silence=40, notices=(10, 20, 30), max_seconds=60)),
        ({"silence_seconds": 5}, Limits(silence=5, max_seconds=600)),
        (
            {"silence_seconds": 90, "notice_seconds": [30, 60, 80], "max_seconds": 840},
            Limits(silence=90, notices=(30, 60, 80), max_seconds=840),
        ),
    ],
)
def test_a_server_has_the_usual_times_but_for_its_own(own: dict[str, Any], limits: Limits) -> None:
    """The usual notices belong to the usual silence: in a silence of its own they come in proportion."""
    assert ServerEntry.model_validate({"command": ["a"], **own}).limits_with_defaults(USUAL) == limits


def registry(**groups: list[str]) -> Registry:
    return Registry(servers={name: ServerEntry(command=[name], groups=of) for name, of in groups.items()})


@pytest.mark.clause("v4:registry:groups")
def test_servers_are_open_by_group_and_those_without_groups_to_everybody() -> None:
    kept = registry(all=[], users=["users"], admins=["admins"], both=["admins", "users"])
    assert list(kept.visible_to(["users"])) == ["all", "users", "both"]
    assert list(kept.visible_to(frozenset())) == ["all"]


@pytest.mark.parametrize(
    ("tool", "place"),
    [
        ("report.summarise", ("report", "summarise")),
        ("report.tool.with.dots", ("report", "tool.with.dots")),
        ("web.pages.fetch", ("web.pages", "fetch")),
        ("web.fetch", ("web", "fetch")),
        ("report", None),
        ("reporting.summarise", None),
        ("other.tool", None),
        ("", None),
        (".", None),
    ],
)
def test_a_tool_is_found_by_the_table_of_servers_not_by_splitting(tool: str, place: tuple[str, str] | None) -> None:
    kept = Registry(servers={name: ServerEntry(command=["x"]) for name in ("web", "report", "web.pages")})
    assert kept.split_tool_name(tool) == place
