"""Where the kernel holds no walls: how many attacks get through in the running system is what docs/security.md says."""

import re
from pathlib import Path

from tests.attacks.process_level import GET_THROUGH
from tests.attacks.running import attack, place, walled_system
from tests.e2e.person import Person
from tests.e2e.system import ROOT

SECURITY = ROOT / "docs/security.md"


def test_no_more_get_through_than_the_docs_say(tmp_path: Path) -> None:
    with walled_system("process", tmp_path / "mcp.json") as system, place() as there:
        mallory = Person(system.url, "mallory@example.com")
        found = attack(mallory, there)

        assert mallory.call("GET", "/api/config").json()["isolation_level"] == "process"
    assert found.got_through - set(GET_THROUGH) == set()
    [(said, of)] = re.findall(r"\*\*(\d+) of (\d+)\*\* attacks", SECURITY.read_text(encoding="utf-8"))
    assert (int(said), int(of)) == (len(GET_THROUGH), len(found.outcomes))
