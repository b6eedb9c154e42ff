import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator.startup import StartupError, access_settings, load_servers, server_problems, take_local_key
from satchel.bootstrap.process import server_config


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Configure two servers, one of them with a secret, and clear the cached registry."""
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"near": {"command": ["python"]}, "far": {"url": "https://x", "auth_token": "${FAR}"}}))
    monkeypatch.setenv("SATCHEL_MCP_CONFIG", str(path))
    monkeypatch.setenv("FAR", "s3cret")
    server_config.cache_clear()
    yield path
    server_config.cache_clear()


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


def test_file_that_is_not_json_is_reported_in_one_line(config: Path) -> None:
    config.write_text("{")

    assert str(config) in reason()


def test_problems_of_servers_are_reported_at_once_and_the_others_load(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAR")
    entries = json.loads(config.read_text())
    config.write_text(json.dumps(entries | {"bad": {"comand": "x"}, "empty": {"command": [], "author": "Ada"}}))

    assert list(load_servers()) == ["near", "far"]
    lines = list(server_problems())
    assert [line.removeprefix(f"{config}: ").partition(": ")[0] for line in lines] == [
        "server 'bad'",
        "server 'empty'",
        "server 'far'",
        "server 'empty'",
    ]
    assert "auth_token: the variable FAR is not set" in lines[2]


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

        (problem,) = server_problems()
        assert f"{config}: server 'curious': env.KEY: the variable SATCHEL_LOCAL_KEY is not set" in problem


class TestAccess:
    @pytest.fixture(autouse=True)
    def environment(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("SATCHEL_AUTH", "SATCHEL_PUBLIC_URL"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("SATCHEL_DATA", str(tmp_path))

    def problem(self, host: str = "127.0.0.1") -> str:
        with pytest.raises(StartupError) as raised:
            access_settings(host)
        assert "\n" not in str(raised.value)
        return str(raised.value)

    def test_default_is_the_key_on_loopback(self) -> None:
        access = access_settings("127.0.0.1")

        assert (access.auth, access.public_url) == ("local", None)

    @pytest.mark.parametrize(
        ("url", "origin"),
        [
            ("https://Satchel.example/", "https://satchel.example"),
            ("https://satchel.example:8443", "https://satchel.example:8443"),
            ("http://192.168.1.5:8000", "http://192.168.1.5:8000"),
            ("https://[fd00::5]", "https://[fd00::5]"),
        ],
    )
    def test_public_url_is_an_origin(self, monkeypatch: pytest.MonkeyPatch, url: str, origin: str) -> None:
        monkeypatch.setenv("SATCHEL_AUTH", "password")
        monkeypatch.setenv("SATCHEL_PUBLIC_URL", url)

        assert access_settings("0.0.0.0").public_url == origin  # noqa: S104  (not opened)

    @pytest.mark.parametrize(
        "url",
        [
            *("", "satchel.example", "ftp://satchel.example", "https://", "https://a/path", "https://a?b"),
            *("https://a#b", "https://a:port", "https://a:0", "https://a:65536", "https://user@a", "https://a b"),
            *("https://[::1", "https://a.example, https://b.example", "*"),
        ],
    )
    def test_public_url_that_is_no_origin_is_an_error(self, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
        monkeypatch.setenv("SATCHEL_AUTH", "password")
        monkeypatch.setenv("SATCHEL_PUBLIC_URL", url)

        assert self.problem().startswith("SATCHEL_PUBLIC_URL: ")

    def test_public_url_needs_passwords(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_PUBLIC_URL", "https://satchel.example")

        assert self.problem() == (
            "SATCHEL_PUBLIC_URL: other machines may reach the server only with SATCHEL_AUTH=password"
        )

    def test_other_address_needs_a_public_url(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_AUTH", "password")

        assert self.problem("0.0.0.0") == (  # noqa: S104  (not opened)
            "SATCHEL_HOST=0.0.0.0: set SATCHEL_PUBLIC_URL to the address that users open in a browser"
        )

    def test_passwords_need_a_data_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_AUTH", "password")
        monkeypatch.setenv("SATCHEL_DATA", "memory")

        assert self.problem() == "SATCHEL_AUTH=password: SATCHEL_DATA=memory has no folder for the accounts"

    @pytest.mark.parametrize(
        ("name", "value"),
        [("SATCHEL_AUTH", "none"), ("SATCHEL_SIGN_IN_IDLE_HOURS", "0"), ("SATCHEL_SIGN_IN_MAX_HOURS", "never")],
    )
    def test_invalid_setting_is_named(self, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
        monkeypatch.setenv(name, value)

        assert self.problem().startswith(f"{name}: ")
