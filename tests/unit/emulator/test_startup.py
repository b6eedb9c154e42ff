import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator.startup import StartupError, load_servers
from satchel.bootstrap.process import registry


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Configure two servers, one of them with a secret, and clear the cached registry."""
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"near": {"command": ["python"]}, "far": {"url": "https://x", "auth_token": "${FAR}"}}))
    monkeypatch.setenv("SATCHEL_MCP_CONFIG", str(path))
    monkeypatch.setenv("FAR", "s3cret")
    registry.cache_clear()
    yield path
    registry.cache_clear()


def reason() -> str:
    with pytest.raises(StartupError) as raised:
        load_servers()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_load_servers_returns_entries_without_resolving_secrets() -> None:
    servers = load_servers()

    assert list(servers) == ["near", "far"]
    assert servers["far"].auth_token == "${FAR}"


def test_missing_configuration_file_is_named(config: Path) -> None:
    config.unlink()

    assert str(config) in reason()


@pytest.mark.parametrize("text", ["{", '{"near": {"command": []}}', '{"near": {"comand": ["python"]}}'])
def test_invalid_configuration_is_reported_in_one_line(config: Path, text: str) -> None:
    config.write_text(text)

    assert str(config) in reason()


def test_unset_variable_is_named_with_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAR")

    assert "server 'far': auth_token: the variable FAR is not set" in reason()


def test_unknown_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_MODEL", "nonesuch")

    assert "nonesuch" in reason()


def test_server_with_too_high_max_seconds_is_named(config: Path) -> None:
    config.write_text(json.dumps({"slow": {"command": ["python"], "max_seconds": 840.5}}))

    assert reason() == f"{config}: server 'slow': max_seconds: the maximum is 840 seconds"


def test_too_high_tool_max_seconds_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_TOOL_MAX_SECONDS", "3600")

    assert reason() == "SATCHEL_TOOL_MAX_SECONDS: the maximum is 840 seconds"


def test_notices_after_the_silence_timeout_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_TOOL_NOTICE_SECONDS", "15,20,35")

    assert (
        "SATCHEL_TOOL_NOTICE_SECONDS: Value error, set three rising times below the silence limit of 30 s" in reason()
    )


@pytest.mark.parametrize(
    ("rounds", "problem"), [("0", "greater than or equal to 1"), ("100", "less than or equal to 99")]
)
def test_max_rounds_outside_its_range_is_rejected(monkeypatch: pytest.MonkeyPatch, rounds: str, problem: str) -> None:
    monkeypatch.setenv("SATCHEL_MAX_ROUNDS", rounds)

    assert reason() == f"SATCHEL_MAX_ROUNDS: Input should be {problem}"


@pytest.mark.parametrize(
    "name",
    ["SATCHEL_MAX_ROUNDS", "SATCHEL_TOOL_MAX_SECONDS", "SATCHEL_MAX_BODY_BYTES", "SATCHEL_MAX_ENVIRONMENTS"],
)
def test_setting_of_the_wrong_type_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "many")

    assert reason().startswith(f"{name}: ")
