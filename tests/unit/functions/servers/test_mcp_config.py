import json
from pathlib import Path

import pytest

WITH_PACKAGES = {"documents", "report"}
SERVERS = Path(__file__).parents[4] / "functions" / "servers"
CONFIG = json.loads((SERVERS / "mcp.json").read_text())


def test_every_server_folder_has_an_entry() -> None:
    assert sorted(CONFIG) == sorted(main.parent.name for main in SERVERS.glob("*/main.py"))


@pytest.mark.parametrize("name", CONFIG)
def test_every_entry_starts_its_own_main_for_all_users(name: str) -> None:
    entry = CONFIG[name]

    assert entry.pop("description").endswith(".")
    assert entry.pop("strict_files", False) is (name in WITH_PACKAGES)
    assert entry.pop("requirements", None) == (f"{name}/requirements.txt" if name in WITH_PACKAGES else None)
    is_reader = name == "documents"
    assert entry.pop("network", True) is not is_reader
    assert entry.pop("deploy", True) == ("with_network" if is_reader else True)
    assert entry == {"command": ["python", "main.py"], "cwd": name, "groups": ["users"]}
