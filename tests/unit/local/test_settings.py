import pytest

from local import settings
from satchel.domain.servers import ServerEntry

ENTRY = ServerEntry(command=["python"], env={"KEY": "${REPORT_TOKEN}"})


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"REPORT_TOKEN": "r", "OTHER_TOKEN": "o", "SATCHEL_OTHER_TOKEN": "s", "SATCHEL_TOOL_MAX_SECONDS": "60"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def test_a_runner_sees_the_variables_of_its_own_entry_and_no_others() -> None:
    seen = settings.of_runner([ENTRY], settings.of_functions(8000), "report")

    assert (seen["SATCHEL_SERVER"], seen["REPORT_TOKEN"]) == ("report", "r")
    assert not seen.keys() & {"OTHER_TOKEN", "SATCHEL_OTHER_TOKEN"}


def test_a_variable_of_an_entry_may_have_any_name_but_replaces_no_setting() -> None:
    entry = ENTRY.model_copy(update={"env": {"A": "${SATCHEL_OTHER_TOKEN}", "B": "${SATCHEL_TABLE}", "C": "${NOPE}"}})
    seen = settings.of_runner([entry], settings.of_functions(8000), "report")

    assert (seen["SATCHEL_OTHER_TOKEN"], seen["SATCHEL_TABLE"]) == ("s", "satchel")
    assert "NOPE" not in seen


def test_what_the_person_has_set_stands_except_where_things_are() -> None:
    functions = settings.of_functions(8123)

    assert functions["SATCHEL_TOOL_MAX_SECONDS"] == "60"
    assert functions["SATCHEL_PUBLIC_URL"] == "http://127.0.0.1:8123"
    assert functions["SATCHEL_AUTH"] == "local"


def test_the_times_of_a_tool_are_those_of_the_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SATCHEL_TOOL_MAX_SECONDS")
    functions = settings.of_functions(8000)

    assert (functions["SATCHEL_TOOL_SILENCE_SECONDS"], functions["SATCHEL_TOOL_MAX_SECONDS"]) == ("30", "840")


def test_the_runner_of_all_remote_servers_sees_the_variables_of_each_and_is_no_servers_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SATCHEL_SERVER", "report")
    far = [
        ServerEntry(url="https://far.example", auth_token=f"${{{name}}}") for name in ("REPORT_TOKEN", "OTHER_TOKEN")
    ]
    seen = settings.of_runner(far, settings.of_functions(8000))

    assert (seen["REPORT_TOKEN"], seen["OTHER_TOKEN"]) == ("r", "o")
    assert "SATCHEL_SERVER" not in seen
    assert "SATCHEL_OTHER_TOKEN" not in seen


def test_how_much_runs_at_once_on_a_machine_may_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.MachineSettings() == settings.MachineSettings(max_environments=16, max_wait_seconds=120)
    monkeypatch.setenv("SATCHEL_MAX_ENVIRONMENTS", "8")
    monkeypatch.setenv("SATCHEL_MAX_WAIT_SECONDS", "5")
    assert settings.MachineSettings() == settings.MachineSettings(max_environments=8, max_wait_seconds=5)
