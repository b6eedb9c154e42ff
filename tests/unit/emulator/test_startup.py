import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator.startup import StartupError, load_servers, take_local_key
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


class TestLocalKey:
    KEY = "a-key.of_at~least-20-characters"

    def test_each_start_has_another_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SATCHEL_LOCAL_KEY", raising=False)

        first, second = take_local_key(), take_local_key()
        assert first != second
        assert min(len(first), len(second)) >= 43

    def test_variable_sets_the_key_and_is_removed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_LOCAL_KEY", self.KEY)

        assert take_local_key() == self.KEY
        assert "SATCHEL_LOCAL_KEY" not in os.environ

    @pytest.mark.parametrize("key", ["", "short", "x" * 19, "x" * 20 + " ", "x" * 20 + "/", "ä" * 20, "x" * 20 + "\n"])
    def test_key_that_can_be_guessed_or_not_be_sent_is_an_error(
        self, monkeypatch: pytest.MonkeyPatch, key: str
    ) -> None:
        monkeypatch.setenv("SATCHEL_LOCAL_KEY", key)

        with pytest.raises(StartupError, match=r"^SATCHEL_LOCAL_KEY: ") as raised:
            take_local_key()
        assert not key or key not in str(raised.value)

    def test_entry_of_a_server_cannot_refer_to_the_key(self, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_LOCAL_KEY", self.KEY)
        entry = {"command": ["python"], "env": {"KEY": "${SATCHEL_LOCAL_KEY}"}}
        config.write_text(json.dumps({"curious": entry}))

        take_local_key()

        assert reason() == f"{config}: server 'curious': env.KEY: the variable SATCHEL_LOCAL_KEY is not set"
