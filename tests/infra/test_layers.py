"""The layers of each function, and docs/layers.md."""

import pytest

from infra.function_sizes import MAX_FUNCTION_BYTES
from infra.packing import sizes
from infra.packing.platform import Platform
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
PACKAGE_GROUPS = {
    "Api": "api",
    "Dispatch": "dispatch",
    "EndSession": "dispatch",
    "Expire": "dispatch",
    "Finish": "dispatch",
    "Refresh": "dispatch",
    "Think": "think",
}


def test_functions_have_the_core_layer_and_their_package_group(stacks: Stacks) -> None:
    for name, function in stacks.functions().items():
        group = "runner" if name.startswith("Run") else PACKAGE_GROUPS.get(name, "functions")
        assert function["Layers"][:2] == ["{LayersCore}", f"{{LayersVendor{group}}}"]


def test_functions_that_only_read_entries_have_no_server_code(stacks: Stacks) -> None:
    readers = {
        name: function["Layers"][2:]
        for name, function in stacks.functions().items()
        if "SATCHEL_MCP_CONFIG" in stacks.environment(name) and not name.startswith("Run")
    }
    assert readers == {
        name: ["{LayersServers}"] for name in ("Api", "Dispatch", "EndSession", "Expire", "Finish", "Refresh", "Think")
    }


def test_runner_has_only_its_own_server_and_packages(stacks: Stacks, custom_servers: Stacks) -> None:
    assert {name: each["Layers"][2:] for name, each in stacks.functions().items() if name.startswith("Run")} == {
        "Runcalculator": ["{LayersServercalculator}", "{LayersPackages}"],
        "Rundocuments": ["{LayersServerdocuments}", "{LayersPackages}", "{LayersPackagesdocuments}"],
        "Runlegacy": ["{LayersServerlegacy}", "{LayersPackages}"],
        "Runreport": ["{LayersServerreport}", "{LayersPackages}", "{LayersPackagesreport}"],
    }
    assert custom_servers.functions()["RemoteRunner"]["Layers"][2:] == ["{LayersRemote}"]


def test_node_server_has_node_and_the_packages_of_its_lock(foreign_servers: Stacks) -> None:
    assert {
        name: each["Layers"][2:] for name, each in foreign_servers.functions().items() if name.startswith("Run")
    } == {
        "Runeverything": ["{LayersServereverything}", "{LayersNode}", "{LayersPackageseverything}"],
        "Runplain": ["{LayersServerplain}", "{LayersNode}", "{LayersPackagesplain}"],
        "Runtime": ["{LayersServertime}", "{LayersPackagestime}"],
    }


def test_layers_match_the_python_and_architecture_of_functions(stacks: Stacks, custom_settings: Stacks) -> None:
    for layer in stacks.properties("AWS::Lambda::LayerVersion").values():
        assert layer["CompatibleArchitectures"] == ["arm64"]
    for layer in custom_settings.properties("AWS::Lambda::LayerVersion").values():
        assert layer["CompatibleArchitectures"] == ["x86_64"]
        assert layer["CompatibleRuntimes"] == ["python3.13"]


def _column(page: str, columns: int, at: int) -> dict[str, float]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:1] == "|"]
    numeric = [row for row in rows if len(row) == columns and row[at].replace(".", "").isdigit()]
    return {row[0]: float(row[at]) for row in numeric}


def test_layers_document_has_current_hashes() -> None:
    page = sizes.DOCUMENT.read_text(encoding="utf-8")
    (version,) = {line.split("Python 3.")[1].split(";")[0] for line in page.splitlines() if "Python 3." in line}
    layers = sizes.layers_of(Platform(minor=int(version)))
    hashes = {name: f"| {sizes.short_hash(contents)} |" for name, contents in layers.items()}
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line[:1] == "|"}
    current = {name: rows.get(name, "").endswith(hash_) for name, hash_ in hashes.items()}
    assert current == dict.fromkeys(layers, True), "update it: .venv/bin/python -m infra.packing.sizes"


def test_layers_and_functions_are_within_size_limits() -> None:
    page = sizes.DOCUMENT.read_text(encoding="utf-8")
    layers, functions = _column(page, 4, 1), _column(page, 3, 2)
    assert len(layers) > 10
    assert {name: mb for name, mb in layers.items() if mb * sizes.MB > sizes.MAX_LAYER_BYTES} == {}
    assert functions["api"] * sizes.MB < sizes.MAX_API_BYTES
    assert {name: mb for name, mb in functions.items() if mb * sizes.MB > MAX_FUNCTION_BYTES} == {}
