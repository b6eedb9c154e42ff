import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.startup import CannotStartError, checked_servers
from satchel.bootstrap.servers import registry


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two servers, of which one has a secret; each test has a process's memory of its own."""
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"near": {"command": ["python"]}, "far": {"url": "https://x", "auth_token": "${FAR}"}}))
    monkeypatch.setenv("SATCHEL_MCP_CONFIG", str(path))
    monkeypatch.setenv("FAR", "s3cret")
    registry.cache_clear()
    yield path
    registry.cache_clear()


def reason() -> str:
    with pytest.raises(CannotStartError) as raised:
        checked_servers()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_servers_come_as_they_are_written_without_their_secrets() -> None:
    servers = checked_servers()

    assert list(servers) == ["near", "far"]
    assert servers["far"].auth_token == "${FAR}"


def test_a_file_that_is_not_there_is_named(config: Path) -> None:
    config.unlink()

    assert str(config) in reason()


@pytest.mark.parametrize("text", ["{", '{"near": {"command": []}}', '{"near": {"comand": ["python"]}}'])
def test_what_is_wrong_in_the_file_is_one_line(config: Path, text: str) -> None:
    config.write_text(text)

    assert str(config) in reason()


def test_a_variable_that_is_not_set_is_named_with_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAR")

    assert "server 'far': auth_token: the variable FAR is not set" in reason()


def test_a_model_that_nobody_knows_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_MODEL", "nonesuch")

    assert "nonesuch" in reason()


@pytest.mark.parametrize("name", ["SATCHEL_MAX_ROUNDS", "SATCHEL_TOOL_MAX_SECONDS", "SATCHEL_MAX_BODY_BYTES"])
def test_a_setting_of_the_wrong_kind_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "many")

    assert reason().startswith(f"{name}: ")
