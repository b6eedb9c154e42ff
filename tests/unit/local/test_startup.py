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


def test_a_server_that_asks_for_more_time_than_the_machine_gives_is_named(config: Path) -> None:
    config.write_text(json.dumps({"slow": {"command": ["python"], "max_seconds": 840.5}}))

    assert reason() == f"{config}: server 'slow': max_seconds: a call may last 840 seconds at most"


def test_so_is_the_setting_that_asks_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_TOOL_MAX_SECONDS", "3600")

    assert reason() == "SATCHEL_TOOL_MAX_SECONDS: a call may last 840 seconds at most"


def test_notices_after_the_end_of_the_silence_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_TOOL_NOTICE_SECONDS", "15,20,35")

    assert "SATCHEL_TOOL_NOTICE_SECONDS: Value error, give three rising times below the 30 s" in reason()


@pytest.mark.parametrize(("rounds", "said"), [("0", "greater than or equal to 1"), ("100", "less than or equal to 99")])
def test_more_rounds_than_an_execution_holds_are_refused(
    monkeypatch: pytest.MonkeyPatch, rounds: str, said: str
) -> None:
    monkeypatch.setenv("SATCHEL_MAX_ROUNDS", rounds)

    assert reason() == f"SATCHEL_MAX_ROUNDS: Input should be {said}"


@pytest.mark.parametrize(
    "name",
    ["SATCHEL_MAX_ROUNDS", "SATCHEL_TOOL_MAX_SECONDS", "SATCHEL_MAX_BODY_BYTES", "SATCHEL_MAX_ENVIRONMENTS"],
)
def test_a_setting_of_the_wrong_kind_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "many")

    assert reason().startswith(f"{name}: ")
