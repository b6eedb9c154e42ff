"""Which layers a function has."""

import pytest

from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth
VENDORS = {
    "Api": "api",
    "Dispatch": "dispatch",
    "Refresh": "dispatch",
    "Think": "think",
}


def test_every_function_has_our_package_and_those_of_its_group(stacks: Stacks) -> None:
    for name, function in stacks.functions().items():
        vendor = "runner" if name.startswith("Run") else VENDORS.get(name, "functions")
        assert function["Layers"][:2] == ["{LayersCore}", f"{{LayersVendor{vendor}}}"]


def test_who_only_reads_entries_has_no_code_of_servers(stacks: Stacks) -> None:
    readers = {
        name: function["Layers"][2:]
        for name, function in stacks.functions().items()
        if "SATCHEL_MCP_CONFIG" in stacks.environment(name) and not name.startswith("Run")
    }
    assert readers == {name: ["{LayersServers}"] for name in ("Api", "Dispatch", "Normalize", "Refresh", "Think")}


def test_a_runner_has_its_own_servers_code_and_packages(stacks: Stacks, own_servers: Stacks) -> None:
    assert {name: each["Layers"][2:] for name, each in stacks.functions().items() if name.startswith("Run")} == {
        "Runcalculator": ["{LayersServercalculator}", "{LayersPackages}"],
        "Runlegacy": ["{LayersServerlegacy}", "{LayersPackages}"],
        "Runreport": ["{LayersServerreport}", "{LayersPackages}", "{LayersPackagesreport}"],
    }
    assert own_servers.functions()["RemoteRunner"]["Layers"][2:] == ["{LayersRemote}"]


def test_layers_are_for_the_functions_python_and_processor(stacks: Stacks, choices: Stacks) -> None:
    for layer in stacks.of_type("AWS::Lambda::LayerVersion").values():
        assert layer["CompatibleArchitectures"] == ["arm64"]
    for layer in choices.of_type("AWS::Lambda::LayerVersion").values():
        assert layer["CompatibleArchitectures"] == ["x86_64"]
        assert layer["CompatibleRuntimes"] == ["python3.13"]
