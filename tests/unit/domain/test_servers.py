"""The entries of mcp.json, and the registry of servers."""

from typing import Any

import pytest
from pydantic import ValidationError

from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.timing import Limits


def test_entry_of_the_specification_is_valid() -> None:
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
def test_entry_without_exactly_one_of_command_and_url_is_invalid(entry: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ServerEntry.model_validate(entry)


def test_unknown_key_is_invalid() -> None:
    with pytest.raises(ValidationError, match="comand"):
        ServerEntry.model_validate({"comand": ["python"], "url": "https://a.example"})


def test_server_without_a_network_cannot_move_files_over_it() -> None:
    with pytest.raises(ValidationError, match="file_transfer needs the network"):
        ServerEntry(command=["a"], file_transfer=True, network=False)


@pytest.mark.parametrize("memory", [0, 127, 10_241])
def test_memory_outside_the_limits_of_lambda_is_invalid(memory: int) -> None:
    with pytest.raises(ValidationError):
        ServerEntry(command=["a"], memory_mb=memory)


@pytest.mark.clause("v4:files:urls")
@pytest.mark.parametrize(
    ("entry", "mode"),
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
def test_file_mode_is_path_for_stdio_and_url_for_http_unless_configured(entry: ServerEntry, mode: str) -> None:
    assert entry.file_mode_for("fetch") == mode


def test_config_hash_depends_only_on_the_fields_that_decide_the_tools() -> None:
    entry = ServerEntry(command=["a"], cwd="/x", env={"MODE": "1"})
    same = entry.model_copy(update={"groups": ["admins"], "description": "d", "memory_mb": 512, "auth_token": "t"})
    others: list[dict[str, Any]] = [{"command": ["b"]}, {"cwd": "/y"}, {"env": {"MODE": "2"}}]
    assert same.config_hash() == entry.config_hash()
    assert len({entry.model_copy(update=other).config_hash() for other in [{}, *others]}) == 4


def test_variables_are_the_placeholders_of_all_texts_that_are_filled() -> None:
    local = ServerEntry(command=["a", "${ZERO}"], env={"A": "${ONE}-${TWO:-2}", "B": "$THREE"}, description="${NO}")
    remote = ServerEntry(url="https://${HOST}/mcp", auth_token="${TOKEN}", headers={"X-Key": "${KEY}"})
    assert (local.variables, remote.variables) == ({"ZERO", "ONE", "TWO"}, {"HOST", "TOKEN", "KEY"})


DEFAULTS = Limits(silence=40, notices=(10, 20, 30), max_seconds=600)


@pytest.mark.parametrize(
    ("fields", "limits"),
    [
        ({}, DEFAULTS),
        ({"max_seconds": 60}, Limits(silence=40, notices=(10, 20, 30), max_seconds=60)),
        ({"silence_seconds": 5}, Limits(silence=5, max_seconds=600)),
        (
            {"silence_seconds": 90, "notice_seconds": [30, 60, 80], "max_seconds": 840},
            Limits(silence=90, notices=(30, 60, 80), max_seconds=840),
        ),
    ],
)
def test_own_limits_override_the_defaults(fields: dict[str, Any], limits: Limits) -> None:
    """The default notices apply to the default silence only; another silence scales its fields notices."""
    assert ServerEntry.model_validate({"command": ["a"], **fields}).limits_with_defaults(DEFAULTS) == limits


def make_registry(**groups: list[str]) -> Registry:
    return Registry(servers={n: ServerEntry(command=[n], groups=allowed) for n, allowed in groups.items()})


@pytest.mark.clause("v4:registry:groups")
def test_servers_are_visible_by_group_and_without_groups_to_all_users() -> None:
    registry = make_registry(all=[], users=["users"], admins=["admins"], both=["admins", "users"])
    assert list(registry.visible_to(["users"])) == ["all", "users", "both"]
    assert list(registry.visible_to(frozenset())) == ["all"]


@pytest.mark.parametrize(
    ("tool", "parts"),
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
def test_tool_name_is_split_by_the_registered_server_names(tool: str, parts: tuple[str, str] | None) -> None:
    registry = Registry(servers={name: ServerEntry(command=["x"]) for name in ("web", "report", "web.pages")})
    assert registry.split_tool_name(tool) == parts


@pytest.mark.parametrize(("own_mb", "limit"), [(None, 5 << 20), (2, 2 << 20), (9, 5 << 20)])
def test_server_can_only_lower_the_maximum_file_size(own_mb: int | None, limit: int) -> None:
    entry = ServerEntry.model_validate({"command": ["a"], "process_limits": {"file_mb": own_mb}})
    assert entry.max_file_bytes(5 << 20) == limit
