import json
from pathlib import Path

import pytest

SERVERS = Path(__file__).parents[4] / "functions" / "servers"
CONFIG = json.loads((SERVERS / "mcp.json").read_text())


def test_every_server_folder_has_an_entry() -> None:
    assert sorted(CONFIG) == sorted(main.parent.name for main in SERVERS.glob("*/main.py"))


@pytest.mark.parametrize("name", CONFIG)
def test_every_entry_starts_its_own_main_for_all_users(name: str) -> None:
    entry = CONFIG[name]

    assert entry.pop("description").endswith(".")
    assert entry.pop("strict_files", False) is (name == "report")
    assert entry.pop("requirements", None) == ("report/requirements.txt" if name == "report" else None)
    assert entry == {"command": ["python", "main.py"], "cwd": name, "groups": ["users"]}
