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
    seen = settings.of_runner("report", ENTRY, settings.of_functions(8000))

    assert (seen["SATCHEL_SERVER"], seen["REPORT_TOKEN"]) == ("report", "r")
    assert not seen.keys() & {"OTHER_TOKEN", "SATCHEL_OTHER_TOKEN"}


def test_a_variable_of_an_entry_may_have_any_name_but_replaces_no_setting() -> None:
    entry = ENTRY.model_copy(update={"env": {"A": "${SATCHEL_OTHER_TOKEN}", "B": "${SATCHEL_TABLE}", "C": "${NOPE}"}})
    seen = settings.of_runner("report", entry, settings.of_functions(8000))

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
