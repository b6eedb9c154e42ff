import base64
from collections.abc import Callable

import pytest

from tests.integration.example_servers.server_process import Server, error_message, payload, python


@pytest.mark.parametrize(
    ("server", "flags"), [("report", []), ("report", ["-I"]), ("calculator", ["-I"]), ("legacy", ["-I"])]
)
def test_server_starts_and_stops_without_output(server: str, flags: list[str]) -> None:
    ended = python(*flags, "main.py", server=server)

    assert (ended.stdout, ended.stderr) == (b"", b"")


def test_calculator_returns_results_and_error_messages(servers: Callable[[str], Server]) -> None:
    calculator = servers("calculator")
    (tool,) = calculator.tools()
    assert (tool.name, tool.input_schema["required"]) == ("evaluate", ["expression"])

    assert payload(calculator.call("evaluate", expression="234*97")) == {
        "results": {"operation": "evaluate", "expression": "234*97", "result": 22698}
    }
    assert payload(calculator.call("evaluate", expression="2**3000"))["results"]["result"] == 2**3000
    assert error_message(calculator.call("evaluate", expression="1/0")) == "1/0 divides by zero."
    assert error_message(calculator.call("evaluate", expression="9**9**9")) == "9**9**9 is too large to calculate."


def test_deepest_expression_fits_the_stack_of_a_real_call(servers: Callable[[str], Server]) -> None:
    assert payload(servers("calculator").call("evaluate", expression="-" * 499 + "1"))["results"]["result"] == -1


@pytest.mark.clause("v1:files:become-artifacts", "v2:migration:arrays")
def test_legacy_server_returns_the_arrays_of_the_first_contract(servers: Callable[[str], Server]) -> None:
    legacy = servers("legacy")
    (tool,) = legacy.tools()
    assert "username" not in tool.input_schema["properties"]

    exported = payload(legacy.call("export_table"))
    assert list(exported) == ["results", "returned_file_names", "returned_file_contents", "meta_data"]
    assert exported["meta_data"] == {"rows": 3, "columns": 3}
    table = base64.b64decode(exported["returned_file_contents"][0], validate=True)
    assert (exported["returned_file_names"][0], table.splitlines()[-1]) == ("table.csv", b"3,9,27")

    assert "greater than or equal to 1" in error_message(legacy.call("export_table", rows=0))
