import pytest

from local.emulator import settings
from local.emulator.runners.capacity import default_environments
from satchel.domain.servers import ServerEntry

ENTRY = ServerEntry(command=["python"], env={"KEY": "${REPORT_TOKEN}"})


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"REPORT_TOKEN": "r", "OTHER_TOKEN": "o", "SATCHEL_OTHER_TOKEN": "s", "SATCHEL_TOOL_MAX_SECONDS": "60"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def test_runner_gets_only_the_variables_of_its_own_entry() -> None:
    environ = settings.runner_settings([ENTRY], settings.function_settings(8000), "report")

    assert (environ["SATCHEL_SERVER"], environ["REPORT_TOKEN"]) == ("report", "r")
    assert not environ.keys() & {"OTHER_TOKEN", "SATCHEL_OTHER_TOKEN"}


def test_variable_of_an_entry_may_have_any_name_but_does_not_replace_a_setting() -> None:
    entry = ENTRY.model_copy(update={"env": {"A": "${SATCHEL_OTHER_TOKEN}", "B": "${SATCHEL_TABLE}", "C": "${NOPE}"}})
    environ = settings.runner_settings([entry], settings.function_settings(8000), "report")

    assert (environ["SATCHEL_OTHER_TOKEN"], environ["SATCHEL_TABLE"]) == ("s", "satchel")
    assert "NOPE" not in environ


def test_own_variables_override_defaults_but_not_names_and_urls() -> None:
    functions = settings.function_settings(8123)

    assert functions["SATCHEL_TOOL_MAX_SECONDS"] == "60"
    assert functions["SATCHEL_PUBLIC_URL"] == "http://127.0.0.1:8123"
    assert functions["SATCHEL_AUTH"] == "local"


def test_public_url_is_the_address_of_links_and_websockets_and_an_allowed_origin() -> None:
    functions = settings.function_settings(8123, "https://satchel.example")

    assert functions["SATCHEL_PUBLIC_URL"] == "https://satchel.example"
    assert functions["SATCHEL_TOOL_URL"] == "http://127.0.0.1:8123"
    assert functions["SATCHEL_SOCKET_URL"] == "wss://satchel.example/ws"
    assert functions["SATCHEL_WEB_ORIGINS"].split(",") == [
        "http://127.0.0.1:8123",
        "http://localhost:8123",
        "http://[::1]:8123",
        "https://satchel.example",
    ]


def test_other_origins_may_open_websockets_and_must_be_origins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_OTHER_ORIGINS", "http://localhost:5173/, https://Chat.example")

    origins = settings.function_settings(8000)["SATCHEL_WEB_ORIGINS"].split(",")

    assert origins[-2:] == ["http://localhost:5173", "https://chat.example"]
    monkeypatch.setenv("SATCHEL_OTHER_ORIGINS", "*")
    with pytest.raises(ValueError, match="https://name"):
        settings.function_settings(8000)


def test_tool_timeouts_are_those_of_the_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_TOOL_MAX_SECONDS")
    functions = settings.function_settings(8000)

    assert (functions["SATCHEL_TOOL_SILENCE_SECONDS"], functions["SATCHEL_TOOL_MAX_SECONDS"]) == ("30", "840")


def test_remote_runner_gets_the_variables_of_all_remote_entries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SATCHEL_SERVER", "report")
    entries = [
        ServerEntry(url="https://far.example", auth_token=f"${{{name}}}") for name in ("REPORT_TOKEN", "OTHER_TOKEN")
    ]
    environ = settings.runner_settings(entries, settings.function_settings(8000))

    assert (environ["REPORT_TOKEN"], environ["OTHER_TOKEN"]) == ("r", "o")
    assert "SATCHEL_SERVER" not in environ
    assert "SATCHEL_OTHER_TOKEN" not in environ


def test_concurrency_limits_can_be_set_by_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.MachineSettings() == settings.MachineSettings(
        max_environments=default_environments(), max_wait_seconds=120
    )
    monkeypatch.setenv("SATCHEL_MAX_ENVIRONMENTS", "8")
    monkeypatch.setenv("SATCHEL_MAX_WAIT_SECONDS", "5")
    assert settings.MachineSettings() == settings.MachineSettings(max_environments=8, max_wait_seconds=5)


def test_runner_gets_the_log_level_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_LOG_LEVEL", "WARNING")
    assert settings.runner_settings([ENTRY], {}, "report")["POWERTOOLS_LOG_LEVEL"] == "WARNING"
